import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { Converter } from './converter.ts';
import type { Conversion, ConversionResult } from './convertFile.messages.ts';

export interface ConversionInput extends Conversion {
  /** Organization that uploaded the file. */
  owner: string;
  /** Size of the uploaded file. */
  contentBytes: number;
  signal: AbortSignal;
}

/** Files of at most this many bytes are converted in about a second, with half of the memory of a large file. */
export const smallBytes = 4_000_000;
/** Maximum number of files that one child converts, so that leaks of memory stay small. */
const maxConversions = 32;
/** Time in ms that a child with 100 MB of memory waits for the next file. */
const idleMs = 10_000;

/**
 * Checks uploaded files and writes them as Parquet, in child processes, so that queries are not delayed and a malicious file can
 * harm only its child. To start a child takes more processor time than to convert a small file. Therefore, a child that converted a
 * small file waits for the next small file of the same organization. A child ends when anything else happened: an error, an abort,
 * a file over a limit, a large file. No child ever reads files of two organizations.
 */
export class Converters {
  private readonly timers: Timers;
  private idle: { converter: Converter; taken: AbortController } | null = null;
  private closed = false;

  constructor(timers: Timers) {
    this.timers = timers;
  }

  /**
   * Converts the file at `contentPath`.
   * @throws ChildFailed if the child ends without a result
   */
  async convert({ owner, contentBytes, signal, ...conversion }: ConversionInput): Promise<ConversionResult> {
    const small = contentBytes <= smallBytes;
    const converter = (small ? this.take(owner) : null) ?? new Converter(owner, 4 * conversion.maxBytes, this.timers);
    let reusable = false;
    try {
      const result = await converter.convert(conversion, signal);
      reusable = small && (result.outcome === 'converted' || result.outcome === 'faults') && converter.conversions < maxConversions && !signal.aborted;
      return result;
    } finally {
      if (reusable && !this.closed) this.keep(converter);
      else await converter.end();
    }
  }

  /** Ends the waiting child. Children of running conversions end with their conversions. */
  async close(): Promise<void> {
    this.closed = true;
    await this.dropIdle();
  }

  private take(owner: string): Converter | null {
    if (this.idle?.converter.owner !== owner) return null;
    const { converter, taken } = this.idle;
    this.idle = null;
    taken.abort();
    converter.hold(true);
    return converter;
  }

  private keep(converter: Converter): void {
    void this.dropIdle();
    const taken = new AbortController();
    const entry = { converter, taken };
    this.idle = entry;
    converter.hold(false);
    const drop = (): void => {
      if (this.idle === entry) void this.dropIdle();
    };
    void this.timers.sleep(idleMs, taken.signal, false).then(drop);
    void converter.ended.then(drop);
  }

  private async dropIdle(): Promise<void> {
    if (this.idle === null) return;
    const { converter, taken } = this.idle;
    this.idle = null;
    taken.abort();
    converter.hold(true);
    await converter.end();
  }
}
