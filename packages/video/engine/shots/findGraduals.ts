import type { Measured } from '../pictures/pictureMeter.ts';
import type { Ramp } from '../pictures/rampFinder.ts';
import type { Transition } from './shot.ts';

/**
 * Weights of the dissolve score: a small residual of the linear ramp, different pictures at both ends, and a change that
 * motion does not explain, both as such and in excess of the residual around the ramp. From a logistic regression on composed
 * clips (tuning seeds).
 */
const dissolveWeights = { logRest: -2.47, resemblance: -4.8, logUnexplained: 0.67, excess: 4.48, logChange: 0.11 } as const;
const dissolveConstant = -8.1;
/**
 * A ramp is not considered as a dissolve if its change is smaller than `change` (levels of grey), if the ramp leaves more than
 * `rest` unexplained, if the pictures at its ends correlate more than `resemblance`, or if a move of the whole picture leaves
 * less than `remainder` of its change: during a slow pan, each picture resembles a mixture of the first and the last. On the tuning
 * seeds, the remainder of dissolves is 0.23 or more, that of pans 0.03 or less.
 */
const dissolveLimits = { change: 10, rest: 0.07, resemblance: 0.85, remainder: 0.12 } as const;
/** Number of pictures on each side of a ramp that determine the usual residual of motion. */
const surroundings = 9;

/**
 * Thresholds of a fade. One end of the ramp is flat (contrast below `flat`) or has less than `contrastShare` of the contrast
 * of the other end.
 */
const fade = { contrastShare: 0.3, flat: 3, contrast: 4, change: 2.5, rest: 0.06, unexplained: 0.3, clearRest: 0.015, clearUnexplained: 0.15 } as const;
/**
 * A ramp contains a jump if the change of one picture exceeds the larger of two values by more than this share of the total
 * change: the median change per picture, or the change that the elapsed time predicts. All without motion.
 */
const maxStep = 0.12;
/** A picture with a smaller residual (levels of grey) repeats the previous picture. */
const repeated = 0.1;
/** Maximum duration for which a moving video repeats a picture, seconds: 5 pictures at 25 per second. */
const maxRepetition = 0.2;
/** Maximum duration of black between a fade-out and a fade-in that form one transition, seconds. */
const maxBlack = 1;

/** Finds dissolves and fades among the ramps of the measured pictures, in chronological order. */
export function findGraduals(measured: Measured): Transition[] {
  const found: Transition[] = [];
  let before: Ramp | null = null;
  for (const ramp of measured.changes.ramps) {
    if (hasJump(ramp, measured)) continue;
    const score = Math.max(scoreFade(ramp, measured), scoreDissolve(ramp, measured));
    if (score < 0) continue;
    const kind = isDimming(ramp) ? 'fade' : 'dissolve';
    const last = found.at(-1);
    if (last !== undefined && before !== null && kind === 'fade' && isEnd(before, ramp) && ramp.start - last.end <= maxBlack) {
      last.end = ramp.end;
      last.kind = 'fade';
    } else found.push({ kind, start: measured.frames.times[ramp.from + 1]!, end: ramp.end, confidence: 1 / (1 + Math.exp(-score)) });
    before = ramp;
  }
  return found;
}

/** Whether one picture changes so much more than the others that the ramp is a hard cut surrounded by motion. */
function hasJump({ from, to, start, end, change }: Ramp, { frames }: Measured): boolean {
  const { times, residual } = frames;
  const steps = residual.slice(from + 1, to + 1).sort();
  const usual = steps[steps.length >> 1]!;
  let last = from;
  for (let place = from + 1; place <= to; place++) {
    if (residual[place]! < repeated) continue;
    // After repeated pictures, the next picture contains the change of the whole elapsed time.
    const due = (change * Math.min(maxRepetition, times[place]! - times[last]!)) / (end - start);
    if (residual[place]! - Math.max(usual, due) > maxStep * change) return true;
    last = place;
  }
  return false;
}

/** Log-odds of a dissolve; −∞ if the ramp is outside `dissolveLimits`. */
function scoreDissolve(ramp: Ramp, { frames }: Measured): number {
  const { change, rest, resemblance, remainder } = dissolveLimits;
  if (ramp.change < change || ramp.rest > rest || ramp.resemblance > resemblance || ramp.remainder < remainder) return -Infinity;
  const unexplained = unexplainedBy(ramp, frames.residual);
  const usual = (usualAround(ramp, frames.residual) * (ramp.to - ramp.from)) / ramp.change;
  return dissolveConstant
    + dissolveWeights.logRest * Math.log(ramp.rest + 0.002)
    + dissolveWeights.resemblance * ramp.resemblance
    + dissolveWeights.logUnexplained * Math.log(unexplained + 0.05)
    + dissolveWeights.excess * Math.max(-0.5, Math.min(0.7, unexplained - usual))
    + dissolveWeights.logChange * Math.log(ramp.change);
}

/** Score of a fade, positive if the ramp is one; −∞ if a threshold is not met. */
function scoreFade(ramp: Ramp, { frames }: Measured): number {
  const { rest, change } = ramp;
  const needed = rest < fade.clearRest ? fade.clearUnexplained : fade.unexplained;
  if (!isDimming(ramp) || change < fade.change || unexplainedBy(ramp, frames.residual) < needed) return -Infinity;
  return (1 - rest / fade.rest) * 4;
}

function isDimming({ contrastBefore, contrastAfter }: Ramp): boolean {
  const low = Math.min(contrastBefore, contrastAfter);
  const high = Math.max(contrastBefore, contrastAfter);
  return (low < fade.flat || low < fade.contrastShare * high) && high >= fade.contrast;
}

/** Sum of the residuals that motion compensation leaves, as a share of the total change. */
function unexplainedBy({ from, to, change }: Ramp, residual: Float32Array): number {
  let sum = 0;
  for (let place = from + 1; place <= to; place++) sum += residual[place]!;
  return sum / change;
}

/** Usual residual per picture beside the ramp: the mean of the medians of both sides. */
function usualAround({ from, to }: Ramp, residual: Float32Array): number {
  const before = median(residual.slice(Math.max(1, from - surroundings), Math.max(1, from - 1)));
  const after = median(residual.slice(to + 2, to + 2 + surroundings));
  return ((before ?? after ?? 0) + (after ?? before ?? 0)) / 2;
}

function median(values: Float32Array): number | undefined {
  return values.sort()[values.length >> 1];
}

/** Whether `out` fades to the dark from which `into` fades in. */
function isEnd(out: Ramp, into: Ramp): boolean {
  return out.contrastAfter < out.contrastBefore && into.contrastBefore < into.contrastAfter;
}
