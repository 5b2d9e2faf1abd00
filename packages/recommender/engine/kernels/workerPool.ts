import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import { threadProgram } from '@vouch/platform/process/ownProgram';

/**
 * Indexes of the words in the memory shared by a pool thread and the training thread. The last word is 1 when the thread has
 * ended.
 */
export const taskCount = 0;
export const answerCount = 1;
const endedMark = 2;
/** Maximum wait for an answer, in ms, before the pool reports progress and checks the threads. */
const waitMs = 250;
/** A thread that neither finishes nor takes another piece of work for this time, in ms, counts as lost. */
const patienceMs = 600_000;

/** Larger than the number of pieces of any task. */
const noFurther = 2 ** 30;

/**
 * Work that all threads share. `kind` selects the function in `poolWorker.ts`. `content` is cloned, except for shared memory.
 */
export interface Task {
  kind: string;
  content: unknown;
}

/** Message that a thread sends after its share of a task. */
type Answer = { result: unknown } | { error: unknown };

interface PoolWorker {
  port: MessagePort;
  counts: Int32Array;
}

interface WorkerOptions {
  program?: URL;
  resourceLimits?: ResourceLimits;
}

/** A pool thread ended before its share of a task was done; the message contains the reason. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** Threads of the pool. */
let workers: PoolWorker[] = [];
/** The thread that started the pool threads, and the port on which it reports why a thread ended. */
let watcher: { worker: Worker; reasons: MessagePort } | null = null;

/** Number of threads that work on tasks in this process, including the calling thread. */
export function poolSize(): number {
  return workers.length + 1;
}

/**
 * Starts the pool threads for the trainings of this process. Between tasks the threads use no processor time, and they do not
 * keep the process alive. Results do not depend on the number of threads.
 * @param threads number of threads, including the calling thread
 * @param options another program for the threads, which must exchange the messages of `poolWorker.ts`, and resource limits
 * @throws ThreadEnded if a thread ends before it is ready
 * @example
 * await openWorkerPool(4);
 * const factors = computeFactors(data, options, report);
 * await closeWorkerPool();
 */
export async function openWorkerPool(threads: number, options: WorkerOptions = {}): Promise<void> {
  await closeWorkerPool();
  if (threads > 1) await startWorkers(threads - 1, options);
}

/** Ends the threads of the pool; later tasks run on the calling thread only. */
export async function closeWorkerPool(): Promise<void> {
  const leaving = watcher;
  workers = [];
  watcher = null;
  await leaving?.worker.terminate();
}

async function startWorkers(count: number, { program = new URL('../poolWorker.ts', import.meta.url), resourceLimits }: WorkerOptions): Promise<void> {
  const started = Array.from({ length: count }, () => ({ channel: new MessageChannel(), counts: new Int32Array(new SharedArrayBuffer(12)) }));
  const reasons = new MessageChannel();
  const theirs = started.map(({ channel, counts }) => ({ port: channel.port2, counts }));
  const worker = new Worker(new URL('./poolWatcher.mjs', import.meta.url), {
    workerData: { program: threadProgram(program).href, resourceLimits, workers: theirs, endedAt: endedMark, reasons: reasons.port2 },
    transferList: [reasons.port2, ...theirs.map(({ port }) => port)],
    execArgv: [],
  });
  watcher = { worker, reasons: reasons.port1 };
  await new Promise<void>((resolve, reject) => {
    worker.once('message', (said) => (said === 'ready' ? resolve() : reject(new ThreadEnded(endText()))));
    worker.once('error', reject);
  });
  for (const port of [reasons.port1, ...started.map(({ channel }) => channel.port1)]) port.unref();
  worker.unref();
  workers = started.map(({ channel, counts }) => ({ port: channel.port1, counts }));
}

function endText(): string {
  const said = watcher === null ? undefined : receiveMessageOnPort(watcher.reasons);
  return `a thread of the training ended: ${String(said?.message ?? 'with the others')}`;
}

/**
 * Runs a task on all threads of the pool and on the calling thread, and waits until every share is done.
 * @param share runs the calling thread's share; its result comes first
 * @param report called every 250 ms while other threads still work
 * @param pieces counter of the pieces of work taken; a thread counts as alive as long as the counter rises
 * @returns results of all threads
 * @throws the error that a thread threw; ThreadEnded if a thread has ended
 */
export function runTask(task: Task, share: () => unknown, report: () => void, pieces: Int32Array): unknown[] {
  for (const { port, counts } of workers) {
    port.postMessage(task);
    Atomics.add(counts, taskCount, 1);
    Atomics.notify(counts, taskCount);
  }
  let answered = 0;
  try {
    const results = [share()];
    for (; answered < workers.length; answered++) results.push(awaitAnswer(workers[answered] as PoolWorker, report, pieces));
    return results;
  } catch (error) {
    // Prevents threads from taking further pieces, so that all threads are soon ready for the next task.
    Atomics.store(pieces, 0, noFurther);
    for (const worker of workers.slice(answered)) {
      try {
        awaitAnswer(worker, () => {}, pieces);
      } catch {
        // The first error is thrown below.
      }
    }
    throw error;
  }
}

function awaitAnswer({ port, counts }: PoolWorker, report: () => void, pieces: Int32Array): unknown {
  const tasks = Atomics.load(counts, taskCount);
  let taken = Atomics.load(pieces, 0);
  let patience = patienceMs;
  for (let answers = Atomics.load(counts, answerCount); answers < tasks; answers = Atomics.load(counts, answerCount)) {
    if (Atomics.load(counts, endedMark) === 1) throw new ThreadEnded(endText());
    if (Atomics.wait(counts, answerCount, answers, waitMs) !== 'timed-out') continue;
    report();
    patience = taken === Atomics.load(pieces, 0) ? patience - waitMs : patienceMs;
    taken = Atomics.load(pieces, 0);
    if (patience <= 0) throw new Error(`a thread of the training has not finished its work for ${patienceMs / 1000} s`);
  }
  const answer = receiveMessageOnPort(port)?.message as Answer | undefined;
  if (answer === undefined) throw new Error('a thread of the training has sent no answer');
  if ('error' in answer) throw answer.error;
  return answer.result;
}
