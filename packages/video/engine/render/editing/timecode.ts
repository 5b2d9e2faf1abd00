import type { FrameRate } from '../../media/mediaBackend.ts';

/** How frames are named. With drop-frame timecode, which exists at 29.97 and 59.94 frames per second, the first two (four) names of each minute but each tenth are skipped. */
export interface Timecode {
  /** Frames that make one second of timecode: 30 at 29.97 frames per second. */
  perSecond: number;
  dropFrame: boolean;
}

/** The timecode of a rate; drop-frame only where it exists. */
export function timecodeOf({ numerator, denominator }: FrameRate, dropFrame: boolean): Timecode {
  const perSecond = Math.ceil(numerator / denominator);
  return { perSecond, dropFrame: dropFrame && denominator === 1001 && perSecond % 30 === 0 };
}

/** Number of the frame with the name `text`, such as `01:00:10:12`; null if it names no frame of this timecode. Counted as in SMPTE 12M. */
export function frameNumber(text: string, timecode: Timecode): number | null {
  const [hours, minutes, seconds, frames] = text.split(/[:;.]/).map(Number) as [number, number, number, number];
  const minute = hours * 60 + minutes;
  const number = (minute * 60 + seconds) * timecode.perSecond + frames - (timecode.dropFrame ? droppedPerMinute(timecode) * (minute - Math.floor(minute / 10)) : 0);
  return Number.isSafeInteger(number) && frameName(number, timecode).replaceAll(';', ':') === text.replaceAll(/[;.]/g, ':') ? number : null;
}

/** Name of a frame; after 24 hours, names begin again at 0. */
export function frameName(frame: number, timecode: Timecode): string {
  const { perSecond, dropFrame } = timecode;
  const shown = dropFrame ? frame + skippedBefore(frame, timecode) : frame;
  const seconds = Math.floor(shown / perSecond);
  const [hours, minutes, second, rest] = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60, shown % perSecond].map((part) => String(part).padStart(2, '0')) as [string, string, string, string];
  return `${hours}:${minutes}:${second}${dropFrame ? ';' : ':'}${rest}`;
}

function droppedPerMinute({ perSecond }: Timecode): number {
  return perSecond / 15;
}

/** Number of the names that are skipped before a frame. */
function skippedBefore(frame: number, timecode: Timecode): number {
  const dropped = droppedPerMinute(timecode);
  const perMinute = 60 * timecode.perSecond - dropped;
  const perTen = 10 * perMinute + dropped;
  const rest = frame % perTen;
  return dropped * (9 * Math.floor(frame / perTen) + Math.max(0, Math.floor((rest - dropped) / perMinute)));
}
