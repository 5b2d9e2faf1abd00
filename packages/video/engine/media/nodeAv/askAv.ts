import { ChildFailed } from '@vouch/platform/process/childEnd';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import type { MediaLimits } from '../mediaBackend.ts';
import { mediaFault, type MediaWork } from '../mediaFault.ts';
import type { AvChild } from './avChild.ts';
import type { AvPool } from './avPool.ts';
import { parseTaskEnd, type AvRecord } from './protocol/records.ts';
import type { Task } from './protocol/task.ts';

/** Limits, timers and child processes for every call of the backend. */
export interface AvTools {
  limits: MediaLimits;
  timers: Timers;
  pool: AvPool;
}

interface AvWork extends Omit<MediaWork, 'code'> {
  /** Returns the error code for a failed task; called after the child has failed. */
  code(): MediaWork['code'];
  heardStderr?(chunk: Buffer): void;
  /** Input of the task. */
  chunks?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * Yields the records of a child's answer. After a successful task, the child returns to the pool. After a failure, an abort or
 * an early end of the reader, the child has ended before this function returns.
 * @throws the signal's reason, the error that `mediaFault` derives from a failure, or the error of the chunks
 */
export async function* askAv({ pool, limits, timers }: AvTools, task: Task, work: AvWork): AsyncGenerator<AvRecord> {
  const { signal, chunks, heardStderr = () => {} } = work;
  signal.throwIfAborted();
  const child = pool.take();
  const over = new AbortController();
  const cancel = (): void => child.stop({ kind: 'cancelled' });
  signal.addEventListener('abort', cancel, { once: true });
  void stopLate(child, limits.wallMs, timers, over.signal);
  const inputFaults: unknown[] = [];
  let state: 'working' | 'ended' | 'failed' = 'working';
  try {
    const allHeard = child.begin(task, heardStderr);
    const fed = chunks === undefined ? null : child.feed(chunks).catch((error: unknown) => {
      inputFaults.push(error);
      cancel();
    });
    for (;;) {
      const record = await child.next();
      const end = parseTaskEnd(record);
      if (end === null) {
        yield record;
        continue;
      }
      await allHeard;
      await fed;
      // The child was stopped after its last record: throw the reason.
      if (!child.alive) throw await child.gone() ?? new Error('node-av ended before its answer was read');
      state = 'ended';
      pool.giveBack(child, end);
      return;
    }
  } catch (error) {
    state = 'failed';
    const failure = await failureOf(child, limits, error);
    throw mediaFault(inputFaults.length > 0 ? inputFaults[0] : failure, { ...work, code: work.code() });
  } finally {
    over.abort();
    signal.removeEventListener('abort', cancel);
    if (state === 'working') {
      cancel();
      await child.gone();
    }
  }
}

/**
 * Runs a task with a short answer.
 * @returns all data of the records, and the standard error of the child
 */
export async function answerOfAv(tools: AvTools, task: Task, work: MediaWork): Promise<{ answer: string; complaints: string }> {
  const parts: Uint8Array[] = [];
  const complaints: Buffer[] = [];
  const said = (): string => Buffer.concat(complaints).toString('latin1');
  const heardStderr = (chunk: Buffer): void => {
    if (complaints.length < 100) complaints.push(chunk);
  };
  try {
    for await (const { data } of askAv(tools, task, { ...work, code: () => work.code, heardStderr })) parts.push(data);
    return { answer: Buffer.concat(parts).toString('utf8'), complaints: said() };
  } catch (error) {
    throw new AvRefused(error, said());
  }
}

/** A child failed. `error` is the error for the caller, `complaints` the standard error of the child. */
export class AvRefused extends Error {
  override readonly name = 'AvRefused';
  readonly error: unknown;
  readonly complaints: string;

  constructor(error: unknown, complaints: string) {
    super('a child failed', { cause: error });
    this.error = error;
    this.complaints = complaints;
  }
}

/**
 * Runs a task that has no answer, with chunks as its input.
 * @throws the same errors as `askAv`
 */
export async function runAv(tools: AvTools, task: Task, work: MediaWork, chunks?: AvWork['chunks']): Promise<void> {
  const answer = askAv(tools, task, { ...work, code: () => work.code, ...(chunks === undefined ? {} : { chunks }) });
  for await (const { number } of answer) throw new Error(`the task ${task.kind} answered a record (${number}), but has none`);
}

async function stopLate(child: AvChild, wallMs: number, timers: Timers, over: AbortSignal): Promise<void> {
  await timers.sleep(wallMs, over);
  if (!over.aborted) child.stop({ kind: 'timed-out', wallMs });
}

/**
 * Stops the child.
 * @returns the child's failure, or `error` if the child did not fail
 */
async function failureOf(child: AvChild, { diskBytes }: MediaLimits, error: unknown): Promise<unknown> {
  child.stop({ kind: 'cancelled' });
  const failure = await child.gone() ?? error;
  // Node ignores SIGXFSZ, the kernel's signal at the limit of the file size, so the libraries fail with this sentence instead.
  const overDisk = failure instanceof ChildFailed && failure.end.kind === 'exited' && /File too large|EFBIG/.test(failure.stderrTail);
  return overDisk ? new ChildFailed(failure.program, { kind: 'disk', diskBytes }, failure.stderrTail) : failure;
}
