import type { Measured } from '../pictures/pictureMeter.ts';
import { Neighbourhood } from './neighbourhood.ts';

/** Names of the features that indicate a cut before a picture, in the order of `cutWeights`. */
export const cutFeatures = [
  'residualOverLevel', 'chromaOverLevel', 'histogramOverLevel', 'strangenessOverLevel',
  'residualOverPeak', 'strangenessOverPeak',
  'residual', 'chroma', 'histogram', 'strangeness', 'residualOverContrast',
] as const;

/**
 * Quantile of the neighbours used as level: high enough to follow a shaking camera, low enough to ignore a second cut nearby.
 */
const levelFraction = 0.75;

/**
 * Added to numerator and denominator of a ratio, so that noise on a still picture gives no high ratio: levels of grey, or 1 −
 * correlation.
 */
const floors = { residual: 0.4, chroma: 0.3, histogram: 0.4, strangeness: 0.02 } as const;

/**
 * Computes the features of every picture.
 * @returns rows of `cutFeatures.length` values, one row per picture; row 0 is zero because no picture precedes it
 */
export function computeCutFeatures({ frames, changes }: Measured): Float32Array {
  const { times, residual, contrast } = frames;
  const neighbourhood = new Neighbourhood(times, frames.difference);
  const strangeness = changes.resemblance[0]!.map((value) => 1 - Math.max(0, value));
  const level = (values: Float32Array): Float32Array => neighbourhood.level(values, levelFraction);
  const residualLevel = level(residual);
  const chromaLevel = level(changes.chroma);
  const histogramLevel = level(changes.histogram);
  const strangenessLevel = level(strangeness);
  const residualPeak = neighbourhood.peak(residual);
  const strangenessPeak = neighbourhood.peak(strangeness);
  const rows = new Float32Array(times.length * cutFeatures.length);
  for (let place = 1, at = cutFeatures.length; place < times.length; place++) {
    const deviation = Math.max(contrast[place]!, contrast[place - 1]!);
    rows[at++] = logRatio(residual[place]!, residualLevel[place]!, floors.residual);
    rows[at++] = logRatio(changes.chroma[place]!, chromaLevel[place]!, floors.chroma);
    rows[at++] = logRatio(changes.histogram[place]!, histogramLevel[place]!, floors.histogram);
    rows[at++] = logRatio(strangeness[place]!, strangenessLevel[place]!, floors.strangeness);
    rows[at++] = logRatio(residual[place]!, residualPeak[place]!, floors.residual);
    rows[at++] = logRatio(strangeness[place]!, strangenessPeak[place]!, floors.strangeness);
    rows[at++] = Math.log(residual[place]! + floors.residual);
    rows[at++] = Math.log(changes.chroma[place]! + floors.chroma);
    rows[at++] = Math.log(changes.histogram[place]! + floors.histogram);
    rows[at++] = strangeness[place]!;
    rows[at++] = residual[place]! / (deviation + 2);
  }
  return rows;
}

function logRatio(value: number, level: number, floor: number): number {
  return Math.log((value + floor) / (level + floor));
}
