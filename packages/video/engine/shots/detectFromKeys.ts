import type { PacketIndex } from '../media/mediaInfo.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { cutAt, shotsBetween, type DetectedShots } from './detectShots.ts';
import type { Transition } from './shot.ts';

/** Two key pictures that correlate less than this, or whose light lies this far apart, are of different shots. */
const different = { resemblance: 0.5, histogram: 14 } as const;
/** A packet this many times as large as usual around it holds a new picture: the encoder found nothing to predict from. */
const spike = 3.5;
/** So large that it counts even between key pictures that resemble each other. */
const sureSpike = 9;
const reach = 24;

/**
 * The shots of a video of which only key frames were decoded. Encoders put a key frame at most cuts; where they did not,
 * the packet of the new shot stands out by its size among those between two key frames. A cut lies at such a packet,
 * else at the later key frame.
 * @param keys measurements of the key frames
 * @param end seconds at which the video ends
 */
export function detectFromKeys(keys: Measured, packets: PacketIndex, end: number): DetectedShots {
  const { times } = keys.frames;
  const ratios = sizeRatios(packets);
  const transitions: Transition[] = [];
  let packet = 0;
  for (let key = 1; key < times.length; key++) {
    while (packet < packets.times.length && packets.times[packet]! <= times[key - 1]! + 1e-6) packet++;
    const first = packet;
    while (packet < packets.times.length && packets.times[packet]! < times[key]! - 1e-6) packet++;
    const changed = 1 - keys.changes.resemblance[0]![key]! > 1 - different.resemblance || keys.changes.histogram[key]! > different.histogram;
    const inside = spikesIn(ratios, first, packet, changed ? spike : sureSpike);
    for (const place of inside) transitions.push(cutAt(packets.times[place]!, Math.log(ratios[place]! / spike)));
    if (changed && inside.length === 0) transitions.push(cutAt(times[key]!, 1));
  }
  const places = transitions.map(({ start }) => ({ after: Math.max(0, start - 0.2), before: start }));
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
