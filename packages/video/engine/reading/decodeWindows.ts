import type { PacketIndex } from '../media/mediaInfo.ts';
import type { Stretch } from '../media/mediaBackend.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import { nearestFrame } from '../media/nearestFrame.ts';
import { analysisShape } from '../pictures/frameTrack.ts';
import { PictureMeter } from '../pictures/pictureMeter.ts';
import type { ExactWindow, TimeWindow } from '../shots/refineTransitions.ts';
import { readAhead } from './readAhead.ts';
import { decodersAtOnce } from './readInParts.ts';

/**
 * Measures every picture of the windows.
 * @param windows ascending, without overlaps
 */
export async function decodeWindows(source: MediaSource, windows: readonly TimeWindow[], packets: PacketIndex): Promise<ExactWindow[]> {
  const { backend, path, info, signal } = source;
  const meters = windows.map(() => new PictureMeter());
  const stretches = joinWithinKeys(windows.map(({ from, to }) => ({ from, to: Math.min(to, info.duration) })), packets);
  const lanes = decodersAtOnce(backend, info);
  const size = lanes === 1 ? stretches.length : Math.ceil(stretches.length / (2 * lanes));
  const groups = Array.from({ length: Math.ceil(stretches.length / size) }, (_, group) => stretches.slice(group * size, (group + 1) * size));
  const sources = groups.map((some) => (stopped: AbortSignal) => backend.pictures({
    path, info, ...analysisShape, skip: 'none', stretches: some, threads: Math.floor(backend.threads / lanes), signal: stopped,
  }));
  let window = 0;
  for await (const { time, data } of readAhead({ sources, lanes, waiting: maxWaiting, signal })) {
    while (window + 1 < windows.length && time >= windows[window + 1]!.from - sameFrame) window += 1;
    const { from, to } = windows[window]!;
    if (time >= from - sameFrame && time < to - sameFrame) meters[window]!.add({ time: nearestFrame(packets.times, time), data });
  }
  return windows.map((_, at) => ({ window: windows[at]!, measured: meters[at]!.finish() }));
}

/** Maximum number of decoded pictures that wait to be measured, 8 kB each. */
const maxWaiting = 6_000;
/** Times of stretches may deviate by a microsecond; this tolerance is in seconds. */
const sameFrame = 1e-5;

/** Joins neighbouring stretches without a key frame between them: a decoder must decode the first to reach the second. */
function joinWithinKeys(stretches: readonly Stretch[], { times, keys }: PacketIndex): Stretch[] {
  const joined: Stretch[] = [];
  let frame = 0;
  for (const stretch of stretches) {
    const previous = joined.at(-1);
    let reachable = previous === undefined;
    for (; frame < times.length && times[frame]! < stretch.from; frame += 1) reachable ||= keys[frame] === 1 && times[frame]! >= previous!.to;
    if (previous === undefined || reachable) joined.push({ ...stretch });
    else previous.to = stretch.to;
  }
  return joined;
}
