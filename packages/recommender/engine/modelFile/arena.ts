/**
 * One stretch of memory for the arrays of an open file. V8 collects the whole heap each time that 64 MB more lie outside of
 * it: the arrays of a model, allocated one by one, brought four or five full collections of 8 to 19 ms within a second, of
 * which one stretch leaves one; and what is given back at once does not wait for another.
 */
export class Arena {
  private readonly memory: ArrayBuffer;
  private used = 0;

  /** @param bytes what it holds at most; pages that nobody writes to take no memory */
  constructor(bytes: number) {
    this.memory = new ArrayBuffer(bytes);
  }

  /** Zeroed memory, at a multiple of 64 bytes; null where no more is left. */
  take(bytes: number): Uint8Array<ArrayBuffer> | null {
    const start = Math.ceil(this.used / alignment) * alignment;
    if (start + bytes > this.memory.byteLength) return null;
    this.used = start + bytes;
    return new Uint8Array(this.memory, start, bytes);
  }

  /** Gives the memory back. Every array over it has no elements from then on. */
  release(): void {
    if (this.memory.byteLength === 0) return;
    // Memory that changes its owner leaves its arrays; the new owner is forgotten at the next small collection.
    structuredClone(this.memory, { transfer: [this.memory] });
  }
}

const alignment = 64;
