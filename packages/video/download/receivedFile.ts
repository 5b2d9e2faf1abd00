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

  constructor(file: FileHandle) {
    this.file = file;
  }

  /** Headers that request the rest, if the server named the version: a rest of another version would make a broken file. */
  rangeHeaders(): Record<string, string> {
    return this.bytes === 0 || this.#validator === null ? {} : { range: `bytes=${this.bytes}-`, 'if-range': this.#validator };
  }

  /** Begins again, for an answer with the whole file. */
  async restart({ headers, url }: OutboundAnswer): Promise<void> {
    this.url = url;
    this.bytes = 0;
    this.#hash = createHash('sha256');
    this.etag = headers['etag'] ?? null;
    this.#validator = this.etag !== null && !this.etag.startsWith('W/') ? this.etag : (headers['last-modified'] ?? null);
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
