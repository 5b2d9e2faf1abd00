import type { PacketIndex } from '../media/mediaInfo.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import type { Picture, Stretch } from '../media/mediaBackend.ts';
import { firstFrame } from '../media/firstFrame.ts';
import { nearestFrame } from '../media/nearestFrame.ts';
import { PictureMeter } from '../pictures/pictureMeter.ts';
import type { ExactWindow, TimeWindow } from '../shots/refineTransitions.ts';
import { decodeStretches } from './decodeStretches.ts';
import { KeptPictures, type GroupPart } from './keptPictures.ts';
import { hasIndex } from './readInParts.ts';
import { isAlone } from './splitAtKeys.ts';

/** Times of stretches may deviate by a microsecond; this tolerance is in seconds. */
const sameFrame = 1e-5;

/** A part of a group of pictures that a window needs: either pictures that were kept, or pictures to decode. */
interface Piece extends GroupPart {
  group: number;
  kept: readonly Picture[] | null;
}

/**
 * Measures every picture of time windows. To reach a picture, a decoder must decode all pictures from the previous key frame on, so
 * several readings of the same group of pictures (from one key frame to the next) would decode the group again and again. This reader
 * keeps decoded pictures (`KeptPictures` limits the memory). The second decoding of a group reaches its end, so that every later window
 * finds its pictures: no group is decoded more than twice, unless the pictures of all windows are more than the memory holds.
 *
 * @example
 * const reader = new WindowReader(source, packets);
 * const [measured] = await reader.read([{ from: 12.5, to: 14 }]);
 */
export class WindowReader {
  /** Times of the key frames, and of the first frame. */
  private readonly starts: readonly number[];
  private readonly decoded = new Set<number>();

  private readonly source: MediaSource;
  private readonly packets: PacketIndex;
  private readonly kept: KeptPictures;

  /** @param kept what later readings may use; a reader that reads once needs `new KeptPictures(0)` */
  constructor(source: MediaSource, packets: PacketIndex, kept = new KeptPictures()) {
    this.source = source;
    this.packets = packets;
    this.kept = kept;
    this.starts = Array.from(packets.times).filter((_, at) => at === 0 || packets.keys[at] === 1);
  }

  /**
   * Measures the pictures of windows.
   * @param windows ascending, without overlaps
   * @throws what `MediaBackend.pictures` throws
   */
  async read(windows: readonly TimeWindow[]): Promise<ExactWindow[]> {
    const meters = windows.map(() => new PictureMeter());
    let window = 0;
    for await (const picture of this.picturesOf(this.planPieces(windows))) {
      while (window + 1 < windows.length && picture.time >= windows[window + 1]!.from - sameFrame) window += 1;
      const { from, to } = windows[window]!;
      if (picture.time >= from - sameFrame && picture.time < to - sameFrame) meters[window]!.add(picture);
    }
    return windows.map((_, at) => ({ window: windows[at]!, measured: meters[at]!.finish() }));
  }

  /** Pictures of the pieces in order of presentation. */
  private async *picturesOf(pieces: readonly Piece[]): AsyncGenerator<Picture> {
    const busy = new Set(pieces.map(({ group }) => group));
    let next = 0;
    for await (const { time, data } of decodeStretches(this.source, this.stretchesOf(pieces))) {
      const picture = { time: nearestFrame(this.packets.times, time), data };
      for (; next + 1 < pieces.length && picture.time >= pieces[next]!.to - sameFrame; next++) yield* pieces[next]!.kept ?? [];
      const piece = pieces[next]!;
      this.kept.add(piece.group, piece, picture, busy);
      yield picture;
    }
    for (; next < pieces.length; next++) yield* pieces[next]!.kept ?? [];
  }

  private planPieces(windows: readonly TimeWindow[]): Piece[] {
    return this.groupsOf(windows).map((part) => {
      const kept = this.kept.find(part.group, part);
      if (kept !== null) return { ...part, kept };
      const again = this.decoded.has(part.group) && this.sizeOf(part.group) <= KeptPictures.most;
      this.decoded.add(part.group);
      return { ...part, ...(again ? this.wholeOf(part.group) : {}), kept };
    });
  }

  /** The part of each group that the windows need. What lies between two windows in a group must be decoded in any case. */
  private groupsOf(windows: readonly TimeWindow[]): (GroupPart & { group: number })[] {
    const parts: (GroupPart & { group: number })[] = [];
    for (const window of windows) {
      const end = Math.min(window.to, this.source.info.duration);
      let group = Math.max(0, firstFrame(this.starts, window.from + sameFrame) - 1);
      for (; group < this.starts.length && this.starts[group]! < end - sameFrame; group++) {
        const from = Math.max(window.from, this.starts[group]!);
        const to = Math.min(end, this.starts[group + 1] ?? end);
        const last = parts.at(-1);
        if (last?.group === group) last.to = to;
        else if (from < to - sameFrame) parts.push({ group, from, to });
      }
    }
    return parts;
  }

  private wholeOf(group: number): GroupPart {
    return { from: this.starts[group]!, to: this.starts[group + 1] ?? this.source.info.duration };
  }

  private sizeOf(group: number): number {
    const { times } = this.packets;
    return firstFrame(times, this.starts[group + 1] ?? Infinity) - firstFrame(times, this.starts[group]!);
  }

  /** What to decode: neighbouring pieces are decoded in one run. */
  private stretchesOf(pieces: readonly Piece[]): Stretch[] {
    const stretches: Stretch[] = [];
    for (const { group, from, to } of pieces.filter(({ kept }) => kept === null)) {
      const last = stretches.at(-1);
      if (last !== undefined && from - last.to < sameFrame) last.to = to;
      else stretches.push({ from, to, fromKey: from - this.starts[group]! < sameFrame && this.canSeekTo(group) });
    }
    return stretches;
  }

  private canSeekTo(group: number): boolean {
    return hasIndex(this.source.info) && isAlone(this.packets, firstFrame(this.packets.times, this.starts[group]!));
  }
}
