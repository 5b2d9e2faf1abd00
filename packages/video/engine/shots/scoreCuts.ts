import type { Measured } from '../pictures/pictureMeter.ts';
import { computeCutFeatures, cutFeatures } from './cutFeatures.ts';

/**
 * Weights of `cutFeatures` and their constant, from a logistic regression with ridge 3e-4 on composed clips (tuning seeds).
 * The constant puts 0 in the middle of the gap between the scores of cuts and of all other pictures, from −4.3 to 1.9.
 */
const cutWeights: Readonly<Record<(typeof cutFeatures)[number], number>> = {
  residualOverLevel: 0.43,
  chromaOverLevel: 0.91,
  histogramOverLevel: 0.58,
  strangenessOverLevel: 0.6,
  residualOverPeak: 0.23,
  strangenessOverPeak: 0.24,
  residual: 0.24,
  chroma: 0.49,
  histogram: 0.57,
  strangeness: 4.5,
  residualOverContrast: 2.68,
};
const constant = -9.6;

const weights = cutFeatures.map((name) => cutWeights[name]);

/** Log-odds of a hard cut right before each picture; −∞ for the first picture. */
export function scoreCuts(measured: Measured): Float32Array {
  const features = computeCutFeatures(measured);
  const scores = new Float32Array(measured.frames.times.length).fill(-Infinity);
  for (let place = 1, at = weights.length; place < scores.length; place++) {
    let score = constant;
    for (const weight of weights) score += weight * features[at++]!;
    scores[place] = isStillChange(measured, place) ? Math.max(score, stillScore) : score;
  }
  for (const { from, sudden } of measured.changes.pages) if (sudden) scores[from] = Math.max(scores[from]!, stillScore);
  return scores;
}

/** Score of a sudden change between still pictures, such as titles on black: few pixels change, but nothing else moves. */
const stillScore = 3;
const still = { strangeness: 0.6, residual: 0.25, ratio: 4, floor: 0.05, reach: 2, reachSeconds: 0.3 } as const;
/** Standard deviation of luma (levels of grey): below `empty` a picture shows nothing, from `filled` on it shows something. */
const empty = 2.5;
const filled = 4;

/**
 * Whether the change before `place` is sudden, with still pictures on both sides. If a picture appears out of an empty one,
 * only the pictures after the change must be still; if the picture vanishes, only the pictures before.
 */
function isStillChange({ frames, changes }: Measured, place: number): boolean {
  const { times, residual, contrast } = frames;
  const own = residual[place]!;
  if (own < still.residual || 1 - changes.resemblance[0]![place]! < still.strangeness) return false;
  const isStillBeside = (direction: 1 | -1): boolean => {
    for (let other = place + direction; other >= 1 && other < residual.length; other += direction) {
      if (Math.abs(other - place) > still.reach && Math.abs(times[other]! - times[place]!) > still.reachSeconds) break;
      if (own + still.floor < still.ratio * (residual[other]! + still.floor)) return false;
    }
    return true;
  };
  const appears = contrast[place - 1]! < empty && contrast[place]! >= filled;
  const vanishes = contrast[place]! < empty && contrast[place - 1]! >= filled;
  return (appears || isStillBeside(-1)) && (vanishes || isStillBeside(1));
}
