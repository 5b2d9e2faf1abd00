/** What could not be read, with its place. */
export class UnreadableBytes extends Error {
  override readonly name = 'UnreadableBytes';
}

/** Reads fields one after another and refuses to go past the end. Numbers are little-endian, as in all of SGX. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** A view, not a copy. */
  take(length: number, what: string): Buffer {
    if (length > this.remaining) throw new UnreadableBytes(`${what} needs ${length} bytes at offset ${this.#at}, but ${this.remaining} are left`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  uint16(what: string): number {
    return this.take(2, what).readUInt16LE();
  }

  uint32(what: string): number {
    return this.take(4, what).readUInt32LE();
  }

  /** @throws UnreadableBytes where something is left */
  end(what: string): void {
    if (this.remaining > 0) throw new UnreadableBytes(`${this.remaining} bytes follow ${what} where it should end`);
  }
}
