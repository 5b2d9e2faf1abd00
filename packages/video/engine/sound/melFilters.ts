import { analysisSampleRate, melBands } from './soundTrack.ts';

const lowest = 80;
const highest = 7600;

/** Triangular filters, evenly spaced on the mel scale from 80 to 7,600 Hz; each sums to 1 over the bins of a power spectrum. */
export class MelFilters {
  private readonly first: Uint32Array;
  private readonly weights: Float64Array[];

  constructor(fourierLength: number) {
    const edges = Array.from({ length: melBands + 2 }, (_, index) => {
      const mel = melOf(lowest) + ((melOf(highest) - melOf(lowest)) * index) / (melBands + 1);
      return (hertzOf(mel) * fourierLength) / analysisSampleRate;
    });
    this.first = new Uint32Array(melBands);
    this.weights = Array.from({ length: melBands }, (_, band) => {
      const [low, middle, high] = [edges[band]!, edges[band + 1]!, edges[band + 2]!];
      const start = Math.max(1, Math.floor(low));
      this.first[band] = start;
      const triangle = Float64Array.from({ length: Math.ceil(high) - start + 1 }, (_unused, offset) => {
        const bin = start + offset;
        // A band narrower than one bin still uses the bin nearest to its centre.
        return Math.max(bin === Math.round(middle) ? 0.1 : 0, bin <= middle ? (bin - low) / (middle - low) : (high - bin) / (high - middle));
      });
      const sum = triangle.reduce((total, weight) => total + weight, 0);
      return triangle.map((weight) => weight / sum);
    });
  }

  /** Writes the mean power of each of the `melBands` bands to `energies`. `power` is the power spectrum of one window. */
  apply(power: Float64Array, energies: Float64Array): void {
    for (let band = 0; band < melBands; band++) {
      const weights = this.weights[band]!;
      let sum = 0;
      for (let index = 0; index < weights.length; index++) sum += weights[index]! * power[this.first[band]! + index]!;
      energies[band] = sum;
    }
  }
}

function melOf(hertz: number): number {
  return 2595 * Math.log10(1 + hertz / 700);
}

function hertzOf(mel: number): number {
  return 700 * (10 ** (mel / 2595) - 1);
}
