import type { Picture } from '../media/mediaBackend.ts';
import { BlendFinder, longestBlend } from './blendFinder.ts';
import { resemblanceLags, type ChangeTrack } from './changeTrack.ts';
import { correlatePictures, histogramDistance, lumaDifference } from './comparePictures.ts';
import { analysisWidth, layoutStep, type FrameTrack } from './frameTrack.ts';
import { GrowingColumn, GrowingTimes } from './growingColumn.ts';
import { LayoutSampler } from './layoutSampler.ts';
import { MotionSearch } from './motionSearch.ts';
import { replacedShare } from './pageBlocks.ts';
import { PageFinder } from './pageFinder.ts';
import { PageSampler } from './pageSampler.ts';
import { RampFinder } from './rampFinder.ts';
import { createSketch, lumaPixels, pictureBytes, sketchPicture, type PictureSketch } from './pictureSketch.ts';

/** All measurements of the pictures of a video or of one time window. */
export interface Measured {
  frames: FrameTrack;
  changes: ChangeTrack;
}

const frameColumns = ['difference', 'residual', 'pan', 'brightness', 'contrast', 'saturation', 'detail', 'sharpness'] as const;

/**
 * Measures pictures one by one as they are decoded. The meter buffers a few pictures and stores about 64 bytes for each
 * measured picture: 40 MB for three hours at 60 pictures per second.
 */
export class PictureMeter {
  private readonly times = new GrowingTimes();
  private readonly columns = columnsOf(frameColumns);
  private readonly chroma = new GrowingColumn();
  private readonly histogram = new GrowingColumn();
  private readonly replaced = new GrowingColumn();
  private readonly replacedOverTwo = new GrowingColumn();
  private readonly resemblance = Array.from({ length: resemblanceLags }, () => new GrowingColumn());
  private readonly ring: readonly PictureSketch[] = Array.from({ length: resemblanceLags + 1 }, createSketch);
  private readonly motion = new MotionSearch();
  private readonly ramps = new RampFinder();
  private readonly blends = new BlendFinder();
  private readonly pages = new PageFinder();
  private readonly layouts = new LayoutSampler();
  private readonly shownPages = new PageSampler();
  private lastTime = -Infinity;
  private measured = 0;

  /** Number of pictures measured so far. */
  get count(): number {
    return this.measured;
  }

  /**
   * Measures the next picture (96 × 54, yuv420p). The meter keeps a reference to `data` for the next few calls. A picture that
   * is not later than the previous one is ignored; this happens only in faulty files.
   * @throws RangeError if `data` does not have the size of such a picture
   */
  add(picture: Pick<Picture, 'time' | 'data'>): void {
    if (picture.data.length !== pictureBytes) {
      throw new RangeError(`a picture has ${picture.data.length} bytes; 96 × 54 yuv420p has ${pictureBytes}`);
    }
    if (!(picture.time > this.lastTime)) return;
    const now = this.ring[this.measured % this.ring.length]!;
    sketchPicture(now, picture.data);
    this.times.push(picture.time);
    this.layouts.add(picture.time, picture.data);
    this.shownPages.add(picture.time, picture.data);
    for (const name of ['brightness', 'contrast', 'saturation', 'detail', 'sharpness'] as const) this.columns[name].push(now[name]);
    this.ramps.add(picture.time, now);
    this.blends.add(picture.time, Array.from({ length: Math.min(longestBlend, this.measured) + 1 }, (_, lag) => this.earlier(lag)));
    this.pages.add(this.measured, picture.time, now.data, this.measured === 0 ? null : { one: this.earlier(1).data, two: this.earlier(Math.min(2, this.measured)).data });
    this.compare(now, picture.time - this.lastTime);
    this.lastTime = picture.time;
    this.measured++;
  }

  finish(): Measured {
    return {
      frames: { times: this.times.finish(), ...mapColumns(this.columns), layouts: this.layouts.finish(), pages: this.shownPages.finish() },
      changes: {
        chroma: this.chroma.finish(),
        histogram: this.histogram.finish(),
        resemblance: this.resemblance.map((column) => column.finish()),
        replaced: this.replaced.finish(),
        replacedOverTwo: this.replacedOverTwo.finish(),
        ramps: this.ramps.finish(),
        blends: this.blends.finish(),
        pages: this.pages.finish(),
      },
    };
  }

  private compare(now: PictureSketch, step: number): void {
    const first = this.measured === 0;
    const before = this.earlier(1);
    const motion = first ? null : this.motion.compare(now, before);
    this.columns.difference.push(first ? 0 : lumaDifference(now, before));
    this.columns.residual.push(motion?.residual ?? 0);
    this.columns.pan.push(motion === null ? 0 : Math.hypot(motion.panX, motion.panY) / analysisWidth / step);
    this.chroma.push(motion?.chroma ?? 0);
    this.histogram.push(first ? 0 : histogramDistance(now, before));
    const replacedSince = (lag: number): number => (
      step < layoutStep || lag > this.measured ? -1 : replacedShare(this.earlier(lag).data.subarray(0, lumaPixels), now.data.subarray(0, lumaPixels)));
    this.replaced.push(replacedSince(1));
    this.replacedOverTwo.push(replacedSince(2));
    for (let lag = 1; lag <= resemblanceLags; lag++) {
      this.resemblance[lag - 1]!.push(lag > this.measured ? 1 : correlatePictures(now, this.earlier(lag)));
    }
  }

  private earlier(lag: number): PictureSketch {
    return this.ring[(this.measured - lag + this.ring.length) % this.ring.length]!;
  }
}

type Columns<Name extends string, Value> = Record<Name, Value>;

function columnsOf<Name extends string>(names: readonly Name[]): Columns<Name, GrowingColumn> {
  return Object.fromEntries(names.map((name) => [name, new GrowingColumn()])) as Columns<Name, GrowingColumn>;
}

function mapColumns<Name extends string>(columns: Columns<Name, GrowingColumn>): Columns<Name, Float32Array> {
  const entries = Object.entries<GrowingColumn>(columns).map(([name, column]) => [name, column.finish()]);
  return Object.fromEntries(entries) as Columns<Name, Float32Array>;
}
