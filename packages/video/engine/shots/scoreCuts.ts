import type { Measured } from '../pictures/pictureMeter.ts';
import { computeCutFeatures, cutFeatures } from './cutFeatures.ts';

/**
 * Weights of `cutFeatures` and their constant: logistic regression on composed clips (tuning seeds), ridge 1e-3. The
 * score is a log-odds, shifted so that 0 is the threshold.
 */
const cutWeights: Readonly<Record<(typeof cutFeatures)[number], number>> = {
  residualOverLevel: 0.71,
  chromaOverLevel: 1.17,
  histogramOverLevel: 0.72,
  strangenessOverLevel: 0.21,
  residualOverPeak: 0.34,
  strangenessOverPeak: 0.04,
  residual: 0.31,
  chroma: 0.28,
  histogram: 0.28,
  strangeness: 2.41,
  residualOverContrast: 1.58,
};
const constant = -7.0;

const weights = cutFeatures.map((name) => cutWeights[name]);

/** Log-odds of a hard cut right before each picture; −∞ before the first. */
export function scoreCuts(measured: Measured): Float32Array {
  const features = computeCutFeatures(measured);
  const scores = new Float32Array(measured.frames.times.length).fill(-Infinity);
  for (let place = 1, at = weights.length; place < scores.length; place++) {
    let score = constant;
    for (const weight of weights) score += weight * features[at++]!;
    scores[place] = isStillChange(measured, place) ? Math.max(score, stillScore) : score;
  }
  return scores;
}

/** What a change between still pictures scores, such as titles on black: few pixels, but nothing else moves. */
const stillScore = 3;
const still = { strangeness: 0.6, residual: 0.25, ratio: 4, floor: 0.05, reach: 2 } as const;
/** Deviation of luma below which a picture is empty, and from which on it holds something. */
const empty = 2.5;
const filled = 4;

/** A sudden change with stillness on both sides; where something comes from or goes into emptiness, on that other side. */
function isStillChange({ frames, changes }: Measured, place: number): boolean {
  const { residual, contrast } = frames;
  const own = residual[place]!;
  if (own < still.residual || 1 - changes.resemblance[0]![place]! < still.strangeness) return false;
  const standsOut = (other: number): boolean => own + still.floor >= still.ratio * (residual[other]! + still.floor);
  let before = true;
  let after = true;
  for (let step = 1; step <= still.reach; step++) {
    if (place - step >= 1) before &&= standsOut(place - step);
    if (place + step < residual.length) after &&= standsOut(place + step);
  }
  const appears = contrast[place - 1]! < empty && contrast[place]! >= filled;
  const vanishes = contrast[place]! < empty && contrast[place - 1]! >= filled;
  return (before || appears) && (after || vanishes);
}
