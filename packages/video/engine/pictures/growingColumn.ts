/** A growing list of float32 values that doubles its buffer, so that adding a value rarely allocates memory. */
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

  /** Returns a copy of the values. */
  finish(): Float32Array {
    return this.values.slice(0, this.count);
  }
}

/** A growing list of times in float64: a float32 has a resolution of only 4 ms after ten hours. */
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
