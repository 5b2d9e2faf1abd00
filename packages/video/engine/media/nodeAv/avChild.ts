import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { ChildFailed, type ChildEnd } from '@vouch/platform/process/childEnd';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { startNodeChild, type NodeChild } from '@vouch/platform/process/nodeChild';
import type { MediaLimits } from '../mediaBackend.ts';
import { inputHeader } from './protocol/chunks.ts';
import { endOfComplaints, parseRecords, type AvRecord } from './protocol/records.ts';
import type { Task } from './protocol/task.ts';

/**
 * A process of nodeAv.child.ts, which does one task at a time. The limit of processor time applies to all tasks of the
 * process together. The caller of a task enforces the time limit of the task.
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

  /** Whether the process is running and was not stopped. */
  get alive(): boolean {
    return this.living;
  }

  /**
   * Sends a task to the process.
   * @param hear receives what the process writes to standard error
   * @returns resolves when `hear` has received everything that a successful task wrote to standard error
   */
  begin(task: Task, hear: (complaint: Buffer) => void): Promise<unknown> {
    this.hear = hear;
    const allHeard = new Promise<void>((resolve) => { this.allHeard = resolve; });
    // If the process has ended, `gone` has the error.
    this.child.send(task).catch(() => {});
    return Promise.race([allHeard, this.gone()]);
  }

  /** Writes the input of the task, at the speed at which the process reads. */
  async feed(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const { stdin } = this.child;
    if (stdin === null) return;
    const gone = this.gone();
    for await (const chunk of chunks) {
      if (chunk.length > 0 && !await wrote(stdin, [inputHeader(chunk.length), chunk], gone)) return;
    }
    await wrote(stdin, [inputHeader(0)], gone);
  }

  /**
   * Returns the next record of the answer.
   * @throws ChildFailed if the process ends instead
   */
  async next(): Promise<AvRecord> {
    const { done, value } = await this.records.next();
    if (done !== true) return value;
    await this.child.done;
    throw new ChildFailed('node-av', { kind: 'exited', code: 0 }, '');
  }

  /** Sets whether the child keeps the parent process alive. */
  hold(held: boolean): void {
    this.child.hold(held);
  }

  /** Stops the process. A second call has no effect. */
  stop(end: ChildEnd): void {
    this.living = false;
    this.child.stop(end);
  }

  /**
   * Resolves when the process has ended; does not stop the process.
   * @returns the failure of the process; null if the process did not fail
   */
  async gone(): Promise<ChildFailed | null> {
    const failure: unknown = await this.child.done.then(() => null, (reason: unknown) => reason);
    // Unread output would keep the pipe open.
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

/** The failure with the standard error of the last task only. */
function ofLastTask({ program, end, stderrTail }: ChildFailed): ChildFailed {
  return new ChildFailed(program, end, stderrTail.slice(stderrTail.lastIndexOf(String.fromCharCode(endOfComplaints)) + 1));
}

/**
 * Writes parts to the child's standard input and waits until there is room.
 * @returns false if the child has ended
 */
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
