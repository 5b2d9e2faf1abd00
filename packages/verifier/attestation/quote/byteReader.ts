/** Thrown if a field cannot be read. The message names the field and its byte offset. */
export class UnreadableBytes extends Error {
  override readonly name = 'UnreadableBytes';
}

/** Reads consecutive binary fields with bounds checks. Integers are little-endian, as everywhere in SGX structures. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** Reads `length` bytes. @returns a view of the input, not a copy @throws UnreadableBytes if fewer bytes remain */
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

  /** @throws UnreadableBytes if bytes remain */
  end(what: string): void {
    if (this.remaining > 0) throw new UnreadableBytes(`${this.remaining} unexpected bytes follow ${what}`);
  }
}
