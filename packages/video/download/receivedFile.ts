import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { OutboundAnswer } from '@vouch/platform/outbound/outbound';

/** What has arrived of a file, and how the server names this version of the file. */
export class ReceivedFile {
  readonly file: FileHandle;
  bytes = 0;
  etag: string | null = null;
  /** URL of the last answer, after redirects; null before the first. */
  url: string | null = null;
  /** Largest share that was told; a download that begins again is not told as a loss. */
  told = 0;
  #hash = createHash('sha256');
  #validator: string | null = null;
  #modified: string | null = null;
  /** Length of the whole file; null if the server named none. */
  #total: number | null = null;

  constructor(file: FileHandle) {
    this.file = file;
  }

  /** Headers that request the rest, if the server named the version: a rest of another version would make a broken file. */
  rangeHeaders(): Record<string, string> {
    return this.bytes === 0 || this.#validator === null ? {} : { range: `bytes=${this.bytes}-`, 'if-range': this.#validator };
  }

  /**
   * Whether an answer is the rest of this version, from the first missing byte on. Many servers ignore `if-range`, so the version in the answer is
   * compared: a rest of another version would make a file of two halves that do not belong together.
   */
  isContinuedBy(answer: OutboundAnswer): boolean {
    const { status, headers } = answer;
    if (status !== 206 || this.bytes === 0 || headers['content-range']?.startsWith(`bytes ${this.bytes}-`) !== true) return false;
    const same = (one: string | number | null, other: string | number | null | undefined): boolean => one === null || other === null || other === undefined || one === other;
    return same(this.etag, headers['etag']) && same(this.#modified, headers['last-modified']) && same(this.#total, totalOf(answer));
  }

  /** Begins again, for an answer with the whole file. */
  async restart(answer: OutboundAnswer): Promise<void> {
    const { headers, url } = answer;
    this.url = url;
    this.bytes = 0;
    this.#hash = createHash('sha256');
    this.etag = headers['etag'] ?? null;
    this.#modified = headers['last-modified'] ?? null;
    this.#total = totalOf(answer);
    this.#validator = this.etag !== null && !this.etag.startsWith('W/') ? this.etag : this.#modified;
    await this.file.truncate(0);
  }

  /** The next request asks for the whole file. */
  forget(): void {
    this.bytes = 0;
  }

  async append(chunk: Uint8Array): Promise<void> {
    this.#hash.update(chunk);
    for (let at = 0; at < chunk.length;) at += (await this.file.write(chunk, at, chunk.length - at, this.bytes + at)).bytesWritten;
    this.bytes += chunk.length;
  }

  sha256(): string {
    return this.#hash.digest('hex');
  }
}

/** Length of the whole file of which an answer has all or a part, bytes; null if the answer does not name it. */
export function totalOf({ status, headers }: OutboundAnswer): number | null {
  const length = status === 206 ? /^bytes \d+-\d+\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1] : headers['content-length'];
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null;
}
