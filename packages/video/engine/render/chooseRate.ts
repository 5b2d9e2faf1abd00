import { atLeastTen, reduceRate } from '../media/frameRates.ts';
import type { FrameRate } from '../media/mediaBackend.ts';
import type { VideoInfo } from '../media/mediaInfo.ts';

const maxFramesPerSecond = 60;
/**
 * Frame rates that players and encoders support well. A source with a variable rate gets the first rate that drops hardly any
 * frame.
 */
const commonRates = [10, 12, 15, 20, 24, 25, 30, 48, 50, 60];
/** Television frame rates. Callers request them as decimals such as 29.97, not as fractions. */
const televisionRates: readonly FrameRate[] = [24, 30, 60].map((whole) => ({ numerator: whole * 1000, denominator: 1001 }));

/**
 * Constant frame rate of a preview: the requested rate, or the rate of the source multiplied or divided by a whole number
 * until it is between 10 and 60 frames per second. A source with a constant rate therefore keeps all frames, or every n-th
 * frame.
 */
export function chooseRate(video: Pick<VideoInfo, 'frameRate' | 'variableFrameRate'>, requested?: number): FrameRate {
  if (requested !== undefined) return asFraction(requested);
  const { numerator, denominator } = video.frameRate;
  const perSecond = numerator / denominator;
  if (!(perSecond > 0) || !Number.isFinite(perSecond)) return { numerator: 25, denominator: 1 };
  if (video.variableFrameRate) {
    return { numerator: commonRates.find((rate) => rate >= 0.98 * perSecond) ?? maxFramesPerSecond, denominator: 1 };
  }
  if (perSecond > maxFramesPerSecond * 1.01) return reduceRate(numerator, denominator * Math.ceil(perSecond / maxFramesPerSecond - 0.01));
  return atLeastTen({ numerator, denominator });
}

function asFraction(perSecond: number): FrameRate {
  const television = televisionRates.find((rate) => Math.abs(rate.numerator / rate.denominator - perSecond) < 0.005);
  return television ?? reduceRate(Math.round(perSecond * 1000), 1000);
}
