import { firstFrame } from '../media/firstFrame.ts';
import type { PacketIndex } from '../media/mediaInfo.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { cutAt, mergeTransitions, shotsBetween, type DetectedShots } from './detectShots.ts';
import { numberPages, pagesFromKeys } from './pagesFromKeys.ts';
import type { Transition } from './shot.ts';

/**
 * Two consecutive key frames may be of different shots if they correlate less than `resemblance`, or if the distance of their
 * luma histograms exceeds `histogram`.
 */
const different = { resemblance: 0.6, histogram: 12 } as const;
/** A packet this many times larger than its neighbours holds a new picture: the encoder could not predict it from others. */
const spike = 2.5;
/**
 * A packet this much larger is a cut even if another large packet is in the interval, or if a key frame was placed at a cut.
 */
const sureSpike = 7;
/** Maximum delay of the large packet after the cut, or of the last packet of a dissolve, seconds. */
const late = 0.2;
/** Number of packets on each side that determine the usual size. */
const reach = 24;
/**
 * An interval between key frames shorter than this share of the longest interval was ended by a scene change, not by the
 * encoder's maximum interval.
 */
const regular = 0.95;

/**
 * Detects the shots of a video of which only key frames were decoded. Encoders place a key frame at most cuts, before the
 * maximum interval is over; otherwise, the packet of the new shot is unusually large. A cut therefore lies between two key
 * frames that differ: at the later key frame if it came early, otherwise at the largest packet between them. A key frame at
 * the maximum interval is no evidence, nor is a flash between key frames that resemble each other. Changes
 * between still pages, whose key frames resemble each other, are found by `pagesFromKeys`.
 * @param keys measurements of the key frames
 * @param packets index of all packets of the video stream
 * @param end end of the video, seconds
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
    if (came) transitions.push(cutAt(packets.times[packetOf[key]!]!, 1));
  }
  // The encoder may react to a cut a few frames late.
  const places = transitions.map(({ start }) => ({ after: Math.max(0, start - late), before: start, score: 0 }));
  const { replaced } = keys.changes;
  const changes = pagesFromKeys(keys.changes, packetOf, packets, longest);
  const pages = changes.map(({ first, last }) => pageTransition(packets.times, first, last));
  const sudden = pages.filter(({ kind, start }) => kind === 'cut' && !transitions.some((cut) => Math.abs(cut.start - start) <= late));
  const dissolves = pages.filter(({ kind }) => kind !== 'cut');
  // Beside still pages, the small rest of a dissolve in a later packet is large.
  const cuts = [...transitions, ...sudden].filter((cut) => !dissolves.some(({ start, end }) => start - late < cut.start && cut.start <= end + late));
  const all = mergeTransitions(cuts, dissolves);
  return { transitions: all, shots: shotsBetween(all, times[0] ?? 0, end), places, pages: numberPages(keys.frames.pages, changes, replaced, packetOf, packets) };
}

function pageTransition(times: Float64Array, first: number, last: number): Transition {
  const end = times[last]!;
  return first === last ? cutAt(end, 1) : { kind: 'dissolve', start: times[first]!, end, confidence: 0.7 };
}

/** Size of each packet divided by the usual size of its neighbours; 0 for key frames. */
function sizeRatios({ sizes, keys }: PacketIndex): Float32Array {
  return Float32Array.from(sizes, (size, place) => {
    if (keys[place] === 1) return 0;
    const around: number[] = [];
    for (let other = Math.max(0, place - reach); other <= place + reach && other < sizes.length; other++) {
      if (keys[other] !== 1 && other !== place) around.push(sizes[other]!);
    }
    // The upper quartile, because B-frames are small; a cut must exceed the frames that others refer to.
    around.sort((one, other) => one - other);
    return size / Math.max(64, around[Math.floor(around.length * 0.75)] ?? Infinity);
  });
}

/** Indices of large packets from `first` to before `to`; of large packets at most 4 apart, only the largest. */
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
