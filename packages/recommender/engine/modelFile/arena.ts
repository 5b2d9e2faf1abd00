/**
 * One block of memory for the arrays of an open file. V8 runs a full garbage collection after each 64 MB allocated outside
 * its heap. Allocating the arrays of a model one by one caused four or five full collections of 8 to 19 ms within a second;
 * one block causes one. Memory that `release` frees does not wait for a full collection.
 */
export class Arena {
  private readonly memory: ArrayBuffer;
  private used = 0;

  /** @param bytes capacity; pages that are never written take no memory */
  constructor(bytes: number) {
    this.memory = new ArrayBuffer(bytes);
  }

  /** Returns zeroed memory at a multiple of 64 bytes; null if too little is left. */
  take(bytes: number): Uint8Array<ArrayBuffer> | null {
    const start = Math.ceil(this.used / alignment) * alignment;
    if (start + bytes > this.memory.byteLength) return null;
    this.used = start + bytes;
    return new Uint8Array(this.memory, start, bytes);
  }

  /** Frees the memory. All arrays in the block have length 0 afterwards. */
  release(): void {
    if (this.memory.byteLength === 0) return;
    // Transferring the buffer detaches its arrays; the next minor garbage collection frees the transferred copy.
    structuredClone(this.memory, { transfer: [this.memory] });
  }
}

const alignment = 64;
