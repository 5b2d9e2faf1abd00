import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import { threadProgram } from '@vouch/platform/process/ownProgram';

/** Places in the memory that a member shares with its crew; the last is 1 when its thread has ended. */
export const orderCount = 0;
export const answerCount = 1;
const endedMark = 2;
/** How long to wait at once before progress is reported and members are looked at. */
const waitMs = 250;
/** A member that lives, but neither finishes nor takes a further piece of work for so long is lost. */
const patienceMs = 600_000;

/** More than any order has pieces. */
const noFurther = 2 ** 30;

/** Something that all threads do together, by the name of its kind; its content is cloned, shared memory is shared. */
export interface Order {
  kind: string;
  content: unknown;
}

/** What a member sends back. */
type Answer = { result: unknown } | { error: unknown };

interface Member {
  port: MessagePort;
  counts: Int32Array;
}

/** How threads begin: their program, and limits of their own. */
export interface MemberOptions {
  program?: URL;
  resourceLimits?: ResourceLimits;
}

/** A thread of the training ended while others counted on it; the message has the reason. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

let members: Member[] = [];
/** The thread that started the members, and where it says how one ended. */
let watcher: { worker: Worker; reasons: MessagePort } | null = null;

/** How many threads work in this process, this one included. */
export function crewSize(): number {
  return members.length + 1;
}

/**
 * Starts threads for the trainings of this process, so that there are `threads` with this one. They wait without the
 * processor between orders and do not keep the process alive. Results do not depend on their number.
 * @param options another program for the threads, which speaks as `crewMember.ts` does
 */
export async function openCrew(threads: number, options: MemberOptions = {}): Promise<void> {
  await closeCrew();
  if (threads > 1) await startMembers(threads - 1, options);
}

export async function closeCrew(): Promise<void> {
  const leaving = watcher;
  members = [];
  watcher = null;
  await leaving?.worker.terminate();
}

async function startMembers(count: number, { program = new URL('../poolWorker.ts', import.meta.url), resourceLimits }: MemberOptions): Promise<void> {
  const started = Array.from({ length: count }, () => ({ channel: new MessageChannel(), counts: new Int32Array(new SharedArrayBuffer(12)) }));
  const reasons = new MessageChannel();
  const theirs = started.map(({ channel, counts }) => ({ port: channel.port2, counts }));
  const worker = new Worker(new URL('./poolWatcher.mjs', import.meta.url), {
    workerData: { program: threadProgram(program).href, resourceLimits, members: theirs, endedAt: endedMark, reasons: reasons.port2 },
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
  members = started.map(({ channel, counts }) => ({ port: channel.port1, counts }));
}

function endText(): string {
  const said = watcher === null ? undefined : receiveMessageOnPort(watcher.reasons);
  return `a thread of the training ended: ${String(said?.message ?? 'with the others')}`;
}

/**
 * Lets all members carry out an order while this thread does its own share, and waits for them.
 * @param share what this thread does; its result comes first
 * @param report called now and then while others still work
 * @param pieces counts the pieces of work that were taken; as long as it rises, members are alive
 * @throws what a member threw; ThreadEnded where a member's thread is gone
 */
export function runOrder(order: Order, share: () => unknown, report: () => void, pieces: Int32Array): unknown[] {
  for (const { port, counts } of members) {
    port.postMessage(order);
    Atomics.add(counts, orderCount, 1);
    Atomics.notify(counts, orderCount);
  }
  let answered = 0;
  try {
    const results = [share()];
    for (; answered < members.length; answered++) results.push(awaitAnswer(members[answered] as Member, report, pieces));
    return results;
  } catch (error) {
    // Nobody takes a further piece, so that the members are ready for the next order soon.
    Atomics.store(pieces, 0, noFurther);
    for (const member of members.slice(answered)) {
      try {
        awaitAnswer(member, () => {}, pieces);
      } catch {
        // The first error is the one that is thrown.
      }
    }
    throw error;
  }
}

function awaitAnswer({ port, counts }: Member, report: () => void, pieces: Int32Array): unknown {
  const orders = Atomics.load(counts, orderCount);
  let taken = Atomics.load(pieces, 0);
  let patience = patienceMs;
  for (let answers = Atomics.load(counts, answerCount); answers < orders; answers = Atomics.load(counts, answerCount)) {
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
