import type { Measured } from '../pictures/pictureMeter.ts';
import type { Ramp } from '../pictures/rampFinder.ts';
import type { Transition } from './shot.ts';

/**
 * What speaks for a dissolve: little rest, ends that differ, and a change that motion does not explain, neither as such
 * nor in excess of what it leaves around the ramp. Logistic regression on composed clips (tuning seeds).
 */
const dissolveWeights = { logRest: -2.47, resemblance: -4.8, logUnexplained: 0.67, excess: 4.48, logChange: 0.11 } as const;
const dissolveConstant = -8.1;
/** What is not looked at: changes smaller than this in levels of grey, worse explained, or between like pictures. */
const dissolveLimits = { change: 10, rest: 0.07, resemblance: 0.85 } as const;
/** Pictures on each side that tell what motion usually leaves. */
const surroundings = 9;

/** It is a fade when one end is flat or has lost this share of the other's contrast. */
const fade = { contrastShare: 0.3, flat: 3, contrast: 4, change: 2.5, rest: 0.06, unexplained: 0.3, clearRest: 0.015, clearUnexplained: 0.15 } as const;
/** How much more than the median step, or than its time would give it, the largest may change, as a share of the whole change; both without motion. */
const maxStep = 0.12;
/** A picture with less residual than this repeats the one before, levels of grey. */
const repeated = 0.1;
/** A picture is repeated for at most so long where something moves, seconds: 5 pictures of 25 a second. */
const maxRepetition = 0.2;
/** Black between a fade out and a fade in up to this long, seconds, is part of one transition. */
const maxBlack = 1;

/** Dissolves and fades. */
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

/** Whether the change of one picture is so much larger than the others that the ramp is a cut with motion around it. */
function hasJump({ from, to, start, end, change }: Ramp, { frames }: Measured): boolean {
  const { times, residual } = frames;
  const steps = residual.slice(from + 1, to + 1).sort();
  const usual = steps[steps.length >> 1]!;
  let last = from;
  for (let place = from + 1; place <= to; place++) {
    if (residual[place]! < repeated) continue;
    // A picture that was shown several times comes with the change of all that time.
    const due = (change * Math.min(maxRepetition, times[place]! - times[last]!)) / (end - start);
    if (residual[place]! - Math.max(usual, due) > maxStep * change) return true;
    last = place;
  }
  return false;
}

/** Log-odds of a dissolve. */
function scoreDissolve(ramp: Ramp, { frames }: Measured): number {
  const { change, rest, resemblance } = dissolveLimits;
  if (ramp.change < change || ramp.rest > rest || ramp.resemblance > resemblance) return -Infinity;
  const unexplained = unexplainedBy(ramp, frames.residual);
  const usual = (usualAround(ramp, frames.residual) * (ramp.to - ramp.from)) / ramp.change;
  return dissolveConstant
    + dissolveWeights.logRest * Math.log(ramp.rest + 0.002)
    + dissolveWeights.resemblance * ramp.resemblance
    + dissolveWeights.logUnexplained * Math.log(unexplained + 0.05)
    + dissolveWeights.excess * Math.max(-0.5, Math.min(0.7, unexplained - usual))
    + dissolveWeights.logChange * Math.log(ramp.change);
}

/** Positive for a fade. */
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

/** Sum of what motion does not explain from picture to picture, as a share of the whole change. */
function unexplainedBy({ from, to, change }: Ramp, residual: Float32Array): number {
  let sum = 0;
  for (let place = from + 1; place <= to; place++) sum += residual[place]!;
  return sum / change;
}

/** The same per picture beside the ramp: median of each side, and the mean of both. */
function usualAround({ from, to }: Ramp, residual: Float32Array): number {
  const before = median(residual.slice(Math.max(1, from - surroundings), Math.max(1, from - 1)));
  const after = median(residual.slice(to + 2, to + 2 + surroundings));
  return ((before ?? after ?? 0) + (after ?? before ?? 0)) / 2;
}

function median(values: Float32Array): number | undefined {
  return values.sort()[values.length >> 1];
}

/** Whether one ramp goes into the dark that the other comes out of. */
function isEnd(out: Ramp, into: Ramp): boolean {
  return out.contrastAfter < out.contrastBefore && into.contrastBefore < into.contrastAfter;
}
