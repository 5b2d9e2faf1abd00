/** Up to two pieces wait for the system, one counts as waiting for the sake of the bytes of HTTP around pieces, and one is written. */
const maxBuffers = 4;

/**
 * Memory of the pieces of a long answer. It is written again once the system has what is in it: new memory for each piece takes longer than the rows of JSON in it, for page
 * faults and for a collection of garbage after each 60 MB.
 */
export class PieceMemory {
  /** Memory, and the number of bytes of the answer up to the end of the piece in it. */
  private readonly buffers: { bytes: Buffer; end: number }[] = [];
  private copied = 0;
  private readonly pendingBytes: (() => number) | null;

  /** @param pendingBytes at least the number of bytes of earlier pieces that somebody still reads; omitted, each piece has memory of its own */
  constructor(pendingBytes: (() => number) | null = null) {
    this.pendingBytes = pendingBytes;
  }

  /** Copies a piece. The copy is valid as long as `pendingBytes` includes it. */
  copy(piece: Uint8Array): Buffer {
    const bytes = this.pendingBytes === null ? Buffer.allocUnsafe(piece.length) : this.free(piece.length, this.copied - this.pendingBytes());
    this.copied += piece.length;
    // `fill` copies as fast as the machine; `set` reads shared memory word by word.
    return piece.length === 0 ? bytes : bytes.fill(piece);
  }

  /** Returns memory that nobody reads. @param sent number of bytes of the answer that nobody reads any more */
  private free(length: number, sent: number): Buffer {
    const end = this.copied + length;
    let buffer = this.buffers.find((one) => one.end <= sent);
    if (buffer === undefined) {
      if (this.buffers.length === maxBuffers) return Buffer.allocUnsafeSlow(length);
      buffer = { bytes: Buffer.alloc(0), end };
      this.buffers.push(buffer);
    }
    if (buffer.bytes.length < length) buffer.bytes = Buffer.allocUnsafeSlow(length);
    buffer.end = end;
    return buffer.bytes.subarray(0, length);
  }
}
