import type { PacketIndex } from '../media/mediaInfo.ts';
import type { ChangeTrack } from '../pictures/changeTrack.ts';
import { layoutStep } from '../pictures/frameTrack.ts';

/**
 * Smallest share of a page's blocks that the next key frame replaces (`ChangeTrack.replaced`). In five generated talks, other slides replace 0.46 to 1, the same
 * slide with more lines, or beside a speaker, at most 0.2.
 */
const otherPage = 0.35;
/** A part is still if three quarters of its packets are at most this share of its key frames: 0.04 beside a speaker. */
const still = 0.1;
/** A packet holds a part of another page if it is at least this share of the key frames beside it; those of a dissolve between two slides are 0.16 to 0.5. */
const partOfPage = 0.12;
/** A packet with another page is at least this share of the key frames beside it: 0.37 to 0.75 in the talks; one more line takes 0.15 to 0.28. */
const wholePage = 0.32;
/** A key frame that comes before this share of the longest distance was placed at a change of the picture. */
const regular = 0.95;
/** Large packets at most this many seconds apart belong to one change. */
const together = 0.2;
/** A change is a dissolve, or a page that slides in, if it has this many large packets over at least this many seconds. */
const gradual = { packets: 4, seconds: 0.25 } as const;
/** Longest change, seconds, as for `PageFinder`. */
const longestChange = 2.5;
/** Seconds that one of two pages must be shown, as for `PageFinder`: the places between which somebody scrolls are not. */
const shortestPage = 5;

/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/** A change of the page: indices of the first packet with a part of the new page, and of the last one; the same if the change is sudden. */
export interface PagePackets {
  first: number;
  last: number;
}

/**
 * Lists the changes from one still page to another, such as from slide to slide, between consecutive key frames: at the large packets between them, or at the
 * later key frame if it came early. A key frame in the middle of a dissolve may resemble both pages, so the key frames beside it are compared.
 * @param changes changes between the key frames
 * @param packetOf index of the packet of each key frame
 * @param longest largest distance of two key frames, packets
 */
export function pagesFromKeys({ replaced, replacedOverTwo }: Pick<ChangeTrack, 'replaced' | 'replacedOverTwo'>, packetOf: readonly number[], packets: PacketIndex, longest: number): PagePackets[] {
  const { times } = packets;
  const found: PagePackets[] = [];
  for (let key = 1; key < packetOf.length; key++) {
    const [from, to, next] = [packetOf[key - 1]!, packetOf[key]!, packetOf[key + 1]];
    if (next !== undefined && replacedOverTwo[key + 1]! >= otherPage && isStill(packets, from, to) && isStill(packets, to, next)) {
      const changes = changesBetween(packets, from + 1, next, largerKey(packets, from, next));
      if (changes.some(({ first, last }) => first < to && to < last)) {
        found.push(...changes);
        key++;
        continue;
      }
    }
    if (replaced[key]! < otherPage || !isStill(packets, from, to)) continue;
    const changes = changesBetween(packets, from + 1, to, largerKey(packets, from, to));
    found.push(...changes);
    if (to - from < regular * longest || (to - from < longest && changes.length === 0)) found.push({ first: to, last: to });
  }
  const gap = (place: number): number => (times[found[place]?.first ?? Infinity] ?? Infinity) - (times[found[place - 1]?.last ?? -1] ?? -Infinity);
  return found.filter((_, place) => gap(place) >= shortestPage || gap(place + 1) >= shortestPage);
}

/** Whether little happens between two key frames. */
function isStill(packets: PacketIndex, from: number, to: number): boolean {
  return upperQuartile(packets.sizes.subarray(from + 1, to)) <= still * largerKey(packets, from, to);
}

function largerKey({ sizes }: PacketIndex, from: number, to: number): number {
  return Math.max(sizes[from]!, sizes[to]!);
}

/** The changes from packet `from` to before packet `to`, beside key frames of `size` bytes; none if something moves for longer. */
function changesBetween({ times, sizes }: PacketIndex, from: number, to: number, size: number): PagePackets[] {
  const found: PagePackets[] = [];
  for (let place = from; place < to; place++) {
    if (sizes[place]! < partOfPage * size) continue;
    let [last, count, largest] = [place, 0, place];
    for (let next = place; next < to && times[next]! - times[last]! <= together; next++) {
      if (sizes[next]! < partOfPage * size) continue;
      last = next;
      count++;
      if (sizes[next]! > sizes[largest]!) largest = next;
    }
    if (times[last]! - times[place]! > longestChange) return [];
    if (count >= gradual.packets && times[last]! - times[place]! >= gradual.seconds) found.push({ first: place, last });
    else if (sizes[largest]! >= wholePage * size) found.push({ first: largest, last: largest });
    place = last;
  }
  return found;
}

function upperQuartile(sizes: Uint32Array): number {
  return sizes.slice().sort()[Math.floor(sizes.length * 0.75)] ?? 0;
}

/**
 * Numbers of the pages at 0, 0.5, 1, … seconds: between two changes lies one page. `FrameTrack.pages` of key frames knows only pages with several key frames, and
 * ends a page at the key frame after the change.
 * @param pages `FrameTrack.pages`, which has the number of a page that was shown before
 * @param changes result of `pagesFromKeys`
 */
export function numberPages(pages: Uint32Array, changes: readonly PagePackets[], replaced: Float32Array, packetOf: readonly number[], packets: PacketIndex): Uint32Array {
  const rowOf = (packet: number): number => Math.ceil((packets.times[packet]! - sameFrame) / layoutStep);
  // The last page is shown until the end, not until the last key frame.
  const numbered = new Uint32Array(Math.max(pages.length, changes.length > 0 ? Math.floor(packets.times.at(-1)! / layoutStep) + 1 : 0));
  numbered.set(pages);
  let latest = pages.reduce((most, page) => Math.max(most, page), 0);
  for (let place = 0; place <= changes.length && changes.length > 0; place++) {
    const first = changes[place - 1]?.last ?? stillFrom(replaced, packetOf, packets, changes[0]!.first);
    const end = changes[place]?.first ?? stillTo(replaced, packetOf, packets, changes.at(-1)!.last);
    const keys = packetOf.filter((packet) => packet >= first && packet < end);
    if (stillTo(replaced, packetOf, packets, first) < end) continue;
    const known = keys.map((packet) => pages[rowOf(packet)] ?? 0).find((page) => page !== 0);
    numbered.fill(known ?? ++latest, rowOf(first), end < packets.times.length ? rowOf(end) : numbered.length);
  }
  return numbered;
}

/** The first key frame from which only pages are shown up to a packet. */
function stillFrom(replaced: Float32Array, packetOf: readonly number[], packets: PacketIndex, packet: number): number {
  let key = packetOf.findLastIndex((place) => place < packet);
  while (key > 0 && replaced[key]! >= 0 && isStill(packets, packetOf[key - 1]!, packetOf[key]!)) key--;
  return packetOf[Math.max(0, key)]!;
}

/** The key frame up to which only pages are shown from a packet on, or the number of packets. */
function stillTo(replaced: Float32Array, packetOf: readonly number[], packets: PacketIndex, packet: number): number {
  let key = packetOf.findLastIndex((place) => place <= packet);
  while (key + 1 < packetOf.length && replaced[key + 1]! >= 0 && isStill(packets, packetOf[key]!, packetOf[key + 1]!)) key++;
  return key + 1 < packetOf.length ? packetOf[key]! : packets.times.length;
}
