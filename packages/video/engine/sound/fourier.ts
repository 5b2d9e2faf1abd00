/** Power spectra of real signals whose length is a power of two, computed with a complex radix-2 FFT of half the length. */
export class Fourier {
  readonly length: number;
  private readonly half: number;
  private readonly cosines: Float64Array;
  private readonly sines: Float64Array;
  private readonly order: Uint32Array;
  private readonly real: Float64Array;
  private readonly imaginary: Float64Array;

  constructor(length: number) {
    if (length < 4 || (length & (length - 1)) !== 0) throw new Error(`${length} is not a power of two of at least 4`);
    this.length = length;
    this.half = length / 2;
    this.cosines = Float64Array.from({ length: this.half }, (_, index) => Math.cos((2 * Math.PI * index) / length));
    this.sines = Float64Array.from({ length: this.half }, (_, index) => -Math.sin((2 * Math.PI * index) / length));
    const bits = Math.log2(this.half);
    this.order = Uint32Array.from({ length: this.half }, (_, index) => {
      let reversed = 0;
      for (let bit = 0; bit < bits; bit++) reversed |= ((index >> bit) & 1) << (bits - 1 - bit);
      return reversed;
    });
    this.real = new Float64Array(this.half);
    this.imaginary = new Float64Array(this.half);
  }

  /** Writes |X(k)|² for k = 0 … length / 2 to `power`. `signal` has `length` values, `power` at least length / 2 + 1. */
  power(signal: Float64Array, power: Float64Array): void {
    const { half, real, imaginary, cosines, sines, order } = this;
    for (let index = 0; index < half; index++) {
      const from = 2 * order[index]!;
      real[index] = signal[from]!;
      imaginary[index] = signal[from + 1]!;
    }
    for (let size = 2; size <= half; size *= 2) {
      const step = this.length / size;
      const middle = size / 2;
      for (let start = 0; start < half; start += size) {
        for (let offset = 0, turn = 0; offset < middle; offset++, turn += step) {
          const a = start + offset;
          const b = a + middle;
          const re = real[b]! * cosines[turn]! - imaginary[b]! * sines[turn]!;
          const im = real[b]! * sines[turn]! + imaginary[b]! * cosines[turn]!;
          real[b] = real[a]! - re;
          imaginary[b] = imaginary[a]! - im;
          real[a] = real[a]! + re;
          imaginary[a] = imaginary[a]! + im;
        }
      }
    }
    // The real parts hold the transform of the even samples, the imaginary parts that of the odd samples: separate and combine
    // both.
    for (let bin = 0; bin <= half; bin++) {
      const a = bin % half;
      const b = (half - bin) % half;
      const evenRe = (real[a]! + real[b]!) / 2;
      const evenIm = (imaginary[a]! - imaginary[b]!) / 2;
      const oddRe = (imaginary[a]! + imaginary[b]!) / 2;
      const oddIm = (real[b]! - real[a]!) / 2;
      const turn = bin % half;
      const sign = bin === half ? -1 : 1;
      const cos = sign * cosines[turn]!;
      const sin = sign * sines[turn]!;
      const re = evenRe + oddRe * cos - oddIm * sin;
      const im = evenIm + oddRe * sin + oddIm * cos;
      power[bin] = re * re + im * im;
    }
  }
}
