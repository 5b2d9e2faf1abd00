import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import type { Timers } from '@vouch/platform/process/doors';
import { startNodeChild, type NodeChild } from '@vouch/platform/process/nodeChild';
import type { MediaLimits } from '../mediaBackend.ts';
import { mediaFault, type MediaWork } from '../mediaFault.ts';
import type { Task } from './task.ts';

/** What every call of the backend works with. */
export interface AvTools {
  limits: MediaLimits;
  timers: Timers;
}

interface AvRequest {
  stdin?: 'pipe';
  heardStderr?(chunk: Buffer): void;
  signal: AbortSignal | undefined;
}

/** Starts a child for one task, under the limits of the backend. */
function startAv({ limits, timers }: AvTools, task: Task, { signal, ...request }: AvRequest): NodeChild {
  const { cpuSeconds, memoryBytes, wallMs, diskBytes, niceness } = limits;
  const child = startNodeChild({
    ...request,
    ...(signal === undefined ? {} : { signal }),
    file: new URL('./nodeAv.child.ts', import.meta.url),
    name: 'node-av',
    stdout: 'pipe',
    limits: { cpuSeconds, memoryBytes, wallMs, diskBytes },
    niceness,
    parse: () => { throw new Error('it speaks only through its output'); },
    received: () => {},
  }, timers);
  // A child that is gone already says so by `done`.
  child.send(task).catch(() => {});
  return child;
}

export interface AvWork extends Omit<MediaWork, 'code'> {
  code(): MediaWork['code'];
  heardStderr?(chunk: Buffer): void;
}

/**
 * Gives what a child answers on its standard output, and ends it in any case.
 * @throws what `mediaFault` makes of its failure
 */
export async function* askAv(tools: AvTools, task: Task, { heardStderr, ...work }: AvWork): AsyncGenerator<Buffer> {
  const child = startAv(tools, task, { signal: work.signal, ...(heardStderr === undefined ? {} : { heardStderr }) });
  let ended = false;
  try {
    if (child.stdout !== null) for await (const chunk of child.stdout as AsyncIterable<Buffer>) yield chunk;
    await child.done;
    ended = true;
  } catch (error) {
    ended = true;
    throw mediaFault(await failureOf(child, tools.limits, error), { ...work, code: work.code() });
  } finally {
    if (!ended) {
      child.stop({ kind: 'cancelled' });
      await child.done.catch(() => {});
    }
  }
}

/** The same for a short answer. @returns the whole answer and what the child said on standard error */
export async function answerOfAv(tools: AvTools, task: Task, work: MediaWork | null): Promise<{ answer: string; complaints: string }> {
  const complaints: Buffer[] = [];
  const child = startAv(tools, task, {
    signal: work?.signal, heardStderr: (chunk) => complaints.length < 100 && complaints.push(chunk),
  });
  try {
    const answer = child.stdout === null ? '' : await textOf(child.stdout);
    await child.done;
    return { answer, complaints: Buffer.concat(complaints).toString('latin1') };
  } catch (error) {
    const failure = await failureOf(child, tools.limits, error);
    const said = Buffer.concat(complaints).toString('latin1');
    throw new AvRefused(work === null ? failure : mediaFault(failure, work), said);
  }
}

/** A child failed; `error` is what the caller gets, `complaints` what may say more. */
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

/** Runs a task to its end, feeding it chunks where there are some, never faster than it reads. @throws what `mediaFault` makes of its failure */
export async function runAv(
  tools: AvTools, task: Task, work: MediaWork, chunks?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const child = startAv(tools, task, { signal: work.signal, ...(chunks === undefined ? {} : { stdin: 'pipe' }) });
  child.stdout?.resume();
  const gone = child.done.then(() => {}, () => {});
  try {
    for await (const chunk of chunks ?? []) {
      if (child.stdin === null || !await wrote(child.stdin, chunk, gone)) break;
    }
    child.stdin?.end();
    await child.done;
  } catch (error) {
    throw mediaFault(await failureOf(child, tools.limits, error), work);
  }
}

/** Stops the child. @returns why it failed, or, where it did not, what was thrown */
async function failureOf(child: NodeChild, { diskBytes }: MediaLimits, error: unknown): Promise<unknown> {
  child.stop({ kind: 'cancelled' });
  const failure = await child.done.then(() => error, (reason: unknown) => reason);
  // Node ignores the signal of the kernel's limit, so that the libraries fail with this sentence instead.
  const overDisk = failure instanceof ChildFailed && failure.end.kind === 'exited' && /File too large|EFBIG/.test(failure.stderrTail);
  return overDisk ? new ChildFailed(failure.program, { kind: 'disk', diskBytes }, failure.stderrTail) : failure;
}

async function textOf(stdout: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdout as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** @returns false where the child is gone */
async function wrote(stdin: Writable, chunk: Uint8Array, gone: Promise<void>): Promise<boolean> {
  if (stdin.destroyed || stdin.writableEnded) return false;
  if (stdin.write(chunk)) return true;
  await Promise.race([once(stdin, 'drain').catch(() => {}), gone]);
  return !stdin.destroyed;
}
