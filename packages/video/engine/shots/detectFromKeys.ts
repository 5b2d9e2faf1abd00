import { firstFrame } from '../media/firstFrame.ts';
import type { PacketIndex } from '../media/mediaInfo.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { cutAt, shotsBetween, type DetectedShots } from './detectShots.ts';
import type { Transition } from './shot.ts';

/** Two key pictures that correlate less than this, or whose light lies this far apart, may be of different shots. */
const different = { resemblance: 0.6, histogram: 12 } as const;
/** A packet this many times as large as usual around it holds a new picture: the encoder found nothing to predict from. */
const spike = 2.5;
/** So large that it counts beside another one, or beside a key frame that was put at a cut. */
const sureSpike = 7;
/** How much later than the cut the large packet may come, seconds. */
const late = 0.2;
/** Packets on each side that tell what is usual. */
const reach = 24;
/** An interval between key frames shorter than this share of the longest one was ended by the encoder, not by its limit. */
const regular = 0.95;

/**
 * The shots of a video of which only key frames were decoded. Encoders put a key frame at most cuts, before its time is
 * up; where they did not, the packet of the new shot stands out by its size. So a cut lies between two key pictures that
 * differ: at the later one if it came early, else at the largest packet between them. A key frame that came in time says
 * nothing, and neither does a flash between pictures that resemble each other.
 * @param keys measurements of the key frames
 * @param end seconds at which the video ends
 */
export function detectFromKeys(keys: Measured, packets: PacketIndex, end: number): DetectedShots {
  const { times } = keys.frames;
  const ratios = sizeRatios(packets);
  const packetOf = Array.from(times, (time) => firstFrame(packets.times, time - 1e-4));
  const longest = packetOf.reduce((length, place, key) => Math.max(length, key === 0 ? 0 : place - packetOf[key - 1]!), 0);
  const transitions: Transition[] = [];
  for (let key = 1; key < times.length; key++) {
    const differs = keys.changes.resemblance[0]![key]! < different.resemblance || keys.changes.histogram[key]! > different.histogram;
    if (!differs) continue;
    const came = packetOf[key]! - packetOf[key - 1]! < regular * longest;
    const spikes = spikesIn(ratios, packetOf[key - 1]! + 1, packetOf[key]!, came ? sureSpike : spike);
    const largest = Math.max(...spikes.map((place) => ratios[place]!));
    for (const place of spikes) {
      const ratio = ratios[place]!;
      if (ratio >= sureSpike || ratio === largest) transitions.push(cutAt(packets.times[place]!, Math.log(ratio / spike)));
    }
    if (came) transitions.push(cutAt(times[key]!, 1));
  }
  // The encoder may have noticed the cut a few frames late.
  const places = transitions.map(({ start }) => ({ after: Math.max(0, start - late), before: start, score: 0 }));
  return { transitions, shots: shotsBetween(transitions, times[0] ?? 0, end), places };
}

/** Size of each packet over the median of its neighbours without key frames; 0 for key frames. */
function sizeRatios({ sizes, keys }: PacketIndex): Float32Array {
  return Float32Array.from(sizes, (size, place) => {
    if (keys[place] === 1) return 0;
    const around: number[] = [];
    for (let other = Math.max(0, place - reach); other <= place + reach && other < sizes.length; other++) {
      if (keys[other] !== 1 && other !== place) around.push(sizes[other]!);
    }
    // B-frames are small: the upper quartile stands for the frames that others refer to.
    around.sort((one, other) => one - other);
    return size / Math.max(64, around[Math.floor(around.length * 0.75)] ?? Infinity);
  });
}

/** Packets from `first` to before `to` that are spikes, the largest of any that are neighbours. */
function spikesIn(ratios: Float32Array, first: number, to: number, threshold: number): number[] {
  const found: number[] = [];
  for (let place = first; place < to; place++) {
    if (ratios[place]! < threshold) continue;
    const last = found.at(-1);
    if (last === undefined || place - last > 4) found.push(place);
    else if (ratios[place]! > ratios[last]!) found[found.length - 1] = place;
  }
  return found;
}
