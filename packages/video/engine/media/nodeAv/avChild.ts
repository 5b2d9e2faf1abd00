import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { ChildFailed, type ChildEnd } from '@vouch/platform/process/childEnd';
import type { Timers } from '@vouch/platform/process/doors';
import { startNodeChild, type NodeChild } from '@vouch/platform/process/nodeChild';
import type { MediaLimits } from '../mediaBackend.ts';
import { inputHeader } from './protocol/chunks.ts';
import { endOfComplaints, parseRecords, type AvRecord } from './protocol/records.ts';
import type { Task } from './protocol/task.ts';

/**
 * A process of nodeAv.child.ts. It does one task at a time; the limit of processor time is for all of them together, and
 * whoever gives it a task stops it where that takes too long.
 */
export class AvChild {
  private readonly child: NodeChild;
  private readonly records: AsyncGenerator<AvRecord>;
  private living = true;
  private hear: (complaint: Buffer) => void = () => {};
  private allHeard: () => void = () => {};

  constructor({ cpuSeconds, memoryBytes, diskBytes, niceness }: MediaLimits, timers: Timers) {
    this.child = startNodeChild({
      file: new URL('./nodeAv.child.ts', import.meta.url),
      name: 'node-av',
      stdin: 'pipe',
      stdout: 'pipe',
      limits: { cpuSeconds, memoryBytes, diskBytes },
      niceness,
      heardStderr: (chunk) => this.heard(chunk),
      parse: () => { throw new Error('it speaks only through its output'); },
      received: () => {},
    }, timers);
    this.records = parseRecords(this.child.stdout ?? []);
    this.gone().finally(() => { this.living = false; });
  }

  /** Whether it lives and nobody has stopped it. */
  get alive(): boolean {
    return this.living;
  }

  /**
   * Gives it a task.
   * @param hear gets what it writes to standard error
   * @returns resolves when all is heard that it wrote there during a task that ended well
   */
  begin(task: Task, hear: (complaint: Buffer) => void): Promise<unknown> {
    this.hear = hear;
    const allHeard = new Promise<void>((resolve) => { this.allHeard = resolve; });
    // One that is gone already says so by its end.
    this.child.send(task).catch(() => {});
    return Promise.race([allHeard, this.gone()]);
  }

  /** Feeds it the input of its task, never faster than it reads. */
  async feed(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const { stdin } = this.child;
    if (stdin === null) return;
    const gone = this.gone();
    for await (const chunk of chunks) {
      if (chunk.length > 0 && !await wrote(stdin, [inputHeader(chunk.length), chunk], gone)) return;
    }
    await wrote(stdin, [inputHeader(0)], gone);
  }

  /** The next record of its answer. @throws ChildFailed where it ends instead */
  async next(): Promise<AvRecord> {
    const { done, value } = await this.records.next();
    if (done !== true) return value;
    await this.child.done;
    throw new ChildFailed('node-av', { kind: 'exited', code: 0 }, '');
  }

  /** Whether it keeps our process alive. */
  hold(held: boolean): void {
    this.child.hold(held);
  }

  /** Stops it, unless it is stopped already. */
  stop(end: ChildEnd): void {
    this.living = false;
    this.child.stop(end);
  }

  /** Resolves when it is gone; does not stop it. @returns why it failed; null where it did not */
  async gone(): Promise<ChildFailed | null> {
    const failure: unknown = await this.child.done.then(() => null, (reason: unknown) => reason);
    // What nobody reads any more would keep the pipe open.
    this.child.stdout?.destroy();
    return failure instanceof ChildFailed ? ofLastTask(failure) : null;
  }

  private heard(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(endOfComplaints, from);
      const until = end < 0 ? chunk.length : end;
      if (until > from) this.hear(chunk.subarray(from, until));
      if (end >= 0) this.allHeard();
      from = until + 1;
    }
  }
}

/** A failure with what was said during the last task alone. */
function ofLastTask({ program, end, stderrTail }: ChildFailed): ChildFailed {
  return new ChildFailed(program, end, stderrTail.slice(stderrTail.lastIndexOf(String.fromCharCode(endOfComplaints)) + 1));
}

/** @returns false where the child is gone */
async function wrote(stdin: Writable, parts: readonly Uint8Array[], gone: Promise<unknown>): Promise<boolean> {
  if (stdin.destroyed || stdin.writableEnded) return false;
  stdin.cork();
  const room = parts.map((part) => stdin.write(part)).at(-1);
  stdin.uncork();
  if (room === true) return true;
  const waiting = new AbortController();
  await Promise.race([once(stdin, 'drain', { signal: waiting.signal }).catch(() => {}), gone]);
  waiting.abort();
  return !stdin.destroyed;
}
