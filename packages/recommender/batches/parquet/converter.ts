import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { startNodeChild, type NodeChild } from '@vouch/platform/process/nodeChild';
import { parseConversionResult, type Conversion, type ConversionResult } from './convertFile.messages.ts';

/**
 * Memory limit of the child, twice the memory for 5 million rows; exceeding the limit is a fault of the program, not of the
 * file.
 */
const memoryBytes = 600_000_000;

/** A child process that converts files of one organization, one after the other. */
export class Converter {
  /** Organization whose files the child has read. */
  readonly owner: string;
  /** Number of conversions that were started. */
  conversions = 0;
  private readonly child: NodeChild;
  private answer: ((result: ConversionResult) => void) | null = null;

  /** @param diskBytes limit for the size of each file that the child writes */
  constructor(owner: string, diskBytes: number, timers: Timers) {
    this.owner = owner;
    this.child = startNodeChild({
      name: 'the reader of the uploaded file',
      file: new URL('./convertFile.child.ts', import.meta.url),
      limits: { memoryBytes, diskBytes },
      parse: parseConversionResult,
      received: (result) => {
        if (this.answer === null) throw new Error('nothing was asked');
        this.answer(result);
        this.answer = null;
      },
    }, timers);
  }

  /** Resolves when the child has ended, for any reason. */
  get ended(): Promise<void> {
    return this.child.done.catch(() => {});
  }

  /**
   * Converts one file. Only one conversion may run at a time.
   * @param signal aborting ends the child
   * @throws ChildFailed if the child ends without a result
   */
  async convert(conversion: Conversion, signal: AbortSignal): Promise<ConversionResult> {
    this.conversions += 1;
    const cancel = (): void => this.child.stop({ kind: 'cancelled' });
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answered = new Promise<ConversionResult>((resolve) => { this.answer = resolve; });
      // A failed send means that the child has ended; `done` contains the reason.
      this.child.send(conversion).catch(() => {});
      const result = await Promise.race([answered, this.child.done]);
      if (result === undefined) throw new Error('the reader of the uploaded file ended without a result');
      return result;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Sets whether the child keeps this process alive. */
  hold(held: boolean): void {
    this.child.hold(held);
  }

  /** Ends the child. Resolves when no process of the child is left. */
  async end(): Promise<void> {
    this.child.stop({ kind: 'cancelled' });
    await this.ended;
  }
}
