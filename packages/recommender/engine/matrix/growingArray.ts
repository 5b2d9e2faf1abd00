const chunkLength = 1 << 18;

/** A typed array of unknown final length, stored in chunks so that growing never copies. */
export class GrowingArray<Numbers extends Int32Array | Float32Array> {
  length = 0;
  private readonly create: (length: number) => Numbers;
  private readonly chunks: Numbers[] = [];

  constructor(create: (length: number) => Numbers) {
    this.create = create;
  }

  push(value: number): void {
    const place = this.length % chunkLength;
    if (place === 0) this.chunks.push(this.create(chunkLength));
    (this.chunks[this.chunks.length - 1] as Numbers)[place] = value;
    this.length++;
  }

  /** Returns the whole content in one array. Releases the chunks during the copy, so the method can be called only once. */
  take(): Numbers {
    const all = this.create(this.length);
    for (let offset = 0; offset < all.length; offset += chunkLength) {
      const chunk = this.chunks.shift() as Numbers;
      all.set(chunk.subarray(0, Math.min(chunkLength, all.length - offset)), offset);
    }
    this.length = 0;
    return all;
  }
}

export const growingIntegers = (): GrowingArray<Int32Array> => new GrowingArray((length) => new Int32Array(length));
export const growingFloats = (): GrowingArray<Float32Array> => new GrowingArray((length) => new Float32Array(length));
