/** A column of numbers that grows by doubling, so that measuring allocates nothing per picture. */
export class GrowingColumn {
  private values = new Float32Array(1024);
  private count = 0;

  push(value: number): void {
    if (this.count === this.values.length) {
      const larger = new Float32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = value;
  }

  /** The values so far, in a buffer of their own. */
  finish(): Float32Array {
    return this.values.slice(0, this.count);
  }
}

/** The same for times, which need all 53 bits: a float has 4 ms left after ten hours. */
export class GrowingTimes {
  private values = new Float64Array(1024);
  private count = 0;

  push(value: number): void {
    if (this.count === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = value;
  }

  finish(): Float64Array {
    return this.values.slice(0, this.count);
  }
}
