import type { Blend } from '../pictures/blendFinder.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import type { Ramp } from '../pictures/rampFinder.ts';
import type { ContrastOfEnds, Transition } from './shot.ts';

/**
 * Weights of the dissolve score: a middle picture that a mixture explains better than motion does, different pictures at both
 * ends, and a change that motion does not explain, both as such and in excess of the residual around the ramp. From a logistic
 * regression on the labelled clips and on composed clips (tuning seeds 1 to 40).
 */
const dissolveWeights = { motion: -2.23, resemblance: -6.95, logUnexplained: 3.18, excess: 5.06, logChange: 1 } as const;
const dissolveConstant = -3.67;
/**
 * A ramp is not considered as a dissolve if its change is smaller than `change` (levels of grey), if the ramp leaves more than
 * `rest` unexplained, or if the pictures at its ends correlate more than `resemblance`.
 */
const dissolveLimits = { change: 10, rest: 0.07, resemblance: 0.85 } as const;
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
/** Number of pictures from which on the mixing ratio is known at every eighth of a ramp. */
const eighths = 8;
/**
 * A jump of `maxStep` along such a ramp bends the course of the ratio by at least 7/16 of itself. If it is less bent, a larger residual, up to `maxDetail` of the
 * total change, is of details that do not belong to the change, such as noise that a key frame codes anew (0.15 in a film); a flash changes more (2.8).
 */
const bendOfJump = (7 / 16) * maxStep;
const maxDetail = 0.5;
/** A picture with a smaller residual (levels of grey) repeats the previous picture. */
const repeated = 0.1;
/** Maximum duration for which a moving video repeats a picture, seconds: 5 pictures at 25 per second. */
const maxRepetition = 0.2;
/** Maximum duration of black between a fade-out and a fade-in that form one transition, seconds. */
const maxBlack = 1;

/** Finds dissolves and fades among the ramps of the measured pictures, in chronological order. */
export function findGraduals(measured: Measured): Transition[] {
  const found: Transition[] = [];
  for (const ramp of measured.changes.ramps) {
    if (hasJump(ramp, measured)) continue;
    const score = Math.max(scoreFade(ramp, measured), scoreDissolve(ramp, measured));
    if (score < 0) continue;
    const contrast = { before: ramp.contrastBefore, after: ramp.contrastAfter };
    const kind = isDimming(contrast) ? 'fade' : 'dissolve';
    found.push({ kind, start: measured.frames.times[ramp.from + 1]!, end: ramp.end, confidence: 1 / (1 + Math.exp(-score)), contrast });
  }
  return withPages(joinThroughBlack(withBlends(found, measured)), measured);
}

/** Log-odds of a blend. */
const blendScore = 3;
/**
 * Around a blend, the picture changes by at most this share of the change per picture in the blend, without motion: 0.2 to 0.62 around blends of films, 0.7 and more
 * in fades.
 */
const calm = 0.65;

/** Adds the blends with calm pictures on both sides, of overlapping ones the one with the calmest, except where a dissolve or fade is known. */
function withBlends(graduals: readonly Transition[], { frames: { times, residual, contrast }, changes: { blends } }: Measured): Transition[] {
  const unrestOf = ({ from, to }: Blend): number => {
    const steps = residual.subarray(from + 1, to + 1).reduce((sum, step) => sum + step, 0);
    return (Math.max(residual[from]!, residual[to + 1] ?? 0) * (to - from)) / steps;
  };
  const found: Transition[] = [];
  for (const { from, to } of [...blends].filter((blend) => unrestOf(blend) <= calm).sort((one, other) => unrestOf(one) - unrestOf(other) || one.to - other.to)) {
    const ends = { before: contrast[from]!, after: contrast[to]! };
    const blend: Transition = { kind: isDimming(ends) ? 'fade' : 'dissolve', start: times[from + 1]!, end: times[to]!, confidence: 1 / (1 + Math.exp(-blendScore)), contrast: ends, blended: true };
    if (![...graduals, ...found].some((known) => known.start < blend.end && blend.start < known.end)) found.push(blend);
  }
  return [...graduals, ...found].sort((one, other) => one.start - other.start);
}

/** Log-odds of a dissolve between two still pages. */
const pageScore = 3;

/** Adds the dissolves from one still page to another, except where a transition is known. */
function withPages(graduals: readonly Transition[], { frames: { times }, changes: { pages } }: Measured): Transition[] {
  const dissolves = pages.filter(({ sudden }) => !sudden)
    .map(({ from, to }): Transition => ({ kind: 'dissolve', start: times[from]!, end: times[to]!, confidence: 1 / (1 + Math.exp(-pageScore)) }))
    .filter(({ start, end }) => !graduals.some((known) => known.start < end && start < known.end));
  return [...graduals, ...dissolves].sort((one, other) => one.start - other.start);
}

/**
 * Joins each fade-out to the fade-in that follows after at most 1 s of black: the two are one transition.
 * @param graduals dissolves and fades in chronological order
 */
export function joinThroughBlack(graduals: readonly Transition[]): Transition[] {
  const joined: Transition[] = [];
  for (const gradual of graduals) {
    const out = joined.at(-1);
    if (out !== undefined && isThroughBlack(out.contrast, gradual.contrast) && gradual.start - out.end <= maxBlack) {
      joined[joined.length - 1] = { kind: 'fade', start: out.start, end: gradual.end, confidence: out.confidence };
    } else joined.push(gradual);
  }
  return joined;
}

/** Whether one picture changes so much more than the others that the ramp is a hard cut surrounded by motion. */
function hasJump({ from, to, start, end, change, bend }: Ramp, { frames }: Measured): boolean {
  const allowed = to - from >= eighths && bend < bendOfJump ? maxDetail : maxStep;
  const { times, residual } = frames;
  const steps = residual.slice(from + 1, to + 1).sort();
  const usual = steps[steps.length >> 1]!;
  let last = from;
  for (let place = from + 1; place <= to; place++) {
    if (residual[place]! < repeated) continue;
    // After repeated pictures, the next picture contains the change of the whole elapsed time.
    const due = (change * Math.min(maxRepetition, times[place]! - times[last]!)) / (end - start);
    if (residual[place]! - Math.max(usual, due) > allowed * change) return true;
    last = place;
  }
  return false;
}

/** Log-odds of a dissolve; −∞ if the ramp is outside `dissolveLimits`. */
function scoreDissolve(ramp: Ramp, { frames }: Measured): number {
  const { change, rest, resemblance } = dissolveLimits;
  if (ramp.change < change || ramp.rest > rest || ramp.resemblance > resemblance) return -Infinity;
  const unexplained = unexplainedBy(ramp, frames.residual);
  const usual = usualAround(ramp, frames.residual);
  const excess = usual === undefined ? 0 : unexplained - (usual * (ramp.to - ramp.from)) / ramp.change;
  return dissolveConstant
    + dissolveWeights.motion * ramp.motion
    + dissolveWeights.resemblance * ramp.resemblance
    + dissolveWeights.logUnexplained * Math.log(unexplained + 0.05)
    + dissolveWeights.excess * Math.max(-0.5, Math.min(0.7, excess))
    + dissolveWeights.logChange * Math.log(ramp.change);
}

/** Score of a fade, positive if the ramp is one; −∞ if a threshold is not met. */
function scoreFade(ramp: Ramp, { frames }: Measured): number {
  const { rest, change } = ramp;
  const needed = rest < fade.clearRest ? fade.clearUnexplained : fade.unexplained;
  if (!isDimming({ before: ramp.contrastBefore, after: ramp.contrastAfter }) || change < fade.change || unexplainedBy(ramp, frames.residual) < needed) return -Infinity;
  return (1 - rest / fade.rest) * 4;
}

function isDimming({ before, after }: ContrastOfEnds): boolean {
  const low = Math.min(before, after);
  const high = Math.max(before, after);
  return (low < fade.flat || low < fade.contrastShare * high) && high >= fade.contrast;
}

/** Sum of the residuals that motion compensation leaves, as a share of the total change. */
function unexplainedBy({ from, to, change }: Ramp, residual: Float32Array): number {
  let sum = 0;
  for (let place = from + 1; place <= to; place++) sum += residual[place]!;
  return sum / change;
}

/**
 * Usual residual per picture beside the ramp: the mean of the medians of both sides. A side ends at a picture that changes by
 * more than the whole ramp: beyond this cut, another shot moves in another way. Undefined if no side has a picture.
 */
function usualAround({ from, to, change }: Ramp, residual: Float32Array): number | undefined {
  let begin = from + 1;
  while (begin > Math.max(1, from - surroundings) && residual[begin - 1]! <= change) begin--;
  let end = to + 1;
  while (end < Math.min(residual.length, to + 2 + surroundings) && residual[end]! <= change) end++;
  const before = median(residual.slice(begin, Math.max(0, from - 1)));
  const after = median(residual.slice(to + 2, end));
  return before === undefined || after === undefined ? before ?? after : (before + after) / 2;
}

function median(values: Float32Array): number | undefined {
  return values.sort()[values.length >> 1];
}

/**
 * Whether `out` fades to the dark from which `into` fades in. The picture that fades in after a fade-out may be almost flat
 * itself.
 */
function isThroughBlack(out: ContrastOfEnds | undefined, into: ContrastOfEnds | undefined): boolean {
  if (out === undefined || into === undefined) return false;
  return out.after < out.before && into.before < into.after && (isDimming(into) || (isDimming(out) && into.before < fade.flat));
}
