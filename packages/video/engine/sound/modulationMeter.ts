import { GrowingColumn } from '../pictures/growingColumn.ts';

/** Mel bands used: about 450 to 3,000 Hz, where voices are strong and drums are weak. */
const bands = { from: 4, to: 14 };
/** Length of the window, values of 20 ms each: 2 s. */
const window = 100;
/** Number of values between two results: 0.5 s. */
export const modulationStep = 25;
/** Lowest and highest rate of syllables, in cycles per window: 2.5 to 7 Hz. */
const slowest = 5;
const fastest = 14;

/**
 * Measures how much of the change of the spectrum happens at the rate of syllables: the share of 2.5 to 7 Hz in the variance
 * of the log energies of each band over 2 s, averaged over the bands (after Scheirer and Slaney, "Construction and evaluation
 * of a robust multifeature speech/music discriminator", ICASSP 1997). Typical values: 0.3 to 0.6 for speech over music, 0.2 to
 * 0.3 for music alone.
 */
export class ModulationMeter {
  private readonly width = bands.to - bands.from;
  private readonly ring = new Float64Array(window * this.width);
  private readonly shares = new GrowingColumn();
  private readonly waves = Float64Array.from({ length: window }, (_, index) => Math.cos((2 * Math.PI * index) / window));
  private count = 0;

  /** Adds the log energies of 20 ms, one value per mel band. */
  push(logs: Float64Array): void {
    const row = (this.count % window) * this.width;
    for (let band = 0; band < this.width; band++) this.ring[row + band] = logs[bands.from + band]!;
    if (++this.count % modulationStep === 0) this.shares.push(this.count >= window ? this.measure() : 0);
  }

  /** Returns one share per half second; entry k covers the 2 s that end at (k + 1) · 0.5 s. */
  finish(): Float32Array {
    return this.shares.finish();
  }

  private measure(): number {
    let share = 0;
    for (let band = 0; band < this.width; band++) share += this.shareOf(band) / this.width;
    return share;
  }

  private shareOf(band: number): number {
    let mean = 0;
    for (let index = 0; index < window; index++) mean += this.ring[index * this.width + band]! / window;
    let variance = 0;
    for (let index = 0; index < window; index++) variance += (this.ring[index * this.width + band]! - mean) ** 2;
    if (variance < 1e-6) return 0;
    let syllables = 0;
    for (let rate = slowest; rate <= fastest; rate++) {
      let real = 0;
      let imaginary = 0;
      for (let index = 0; index < window; index++) {
        const value = this.ring[index * this.width + band]! - mean;
        real += value * this.waves[(rate * index) % window]!;
        imaginary += value * this.waves[(rate * index + window * 0.75) % window]!;
      }
      syllables += (2 * (real * real + imaginary * imaginary)) / window;
    }
    return Math.min(1, syllables / variance);
  }
}
