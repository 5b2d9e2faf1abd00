import { availableParallelism } from 'node:os';
import { systemInterfaces } from '../../packages/platform/process/systemInterfaces.ts';
import type { MediaBackend, MediaLimits, Picture, PictureRequest } from '../../packages/video/engine/media/mediaBackend.ts';
import type { MediaInfo } from '../../packages/video/engine/media/mediaInfo.ts';
import { openMediaBackend } from '../../packages/video/engine/backend/openMediaBackend.ts';
import { analysisHeight, analysisWidth } from '../../packages/video/engine/pictures/frameTrack.ts';
import { measurePictures } from '../../packages/video/engine/pictures/measurePictures.ts';
import { PictureMeter, type Measured } from '../../packages/video/engine/pictures/pictureMeter.ts';
import type { TimeWindow } from '../../packages/video/engine/shots/refineTransitions.ts';
import { clipHeight, clipWidth } from './cutsSynthetic.ts';
import { runFfmpeg } from './runFfmpeg.ts';

const hour = 3_600_000;
const limits: MediaLimits = {
  memoryBytes: 4 * 2 ** 30, wallMs: hour, cpuSeconds: 3600, diskBytes: 2 ** 32, pixels: 36_000_000, threads: availableParallelism(), niceness: 0,
};

/** Opens the product's own reader: the installed ffmpeg, or the npm package with FFMPEG_PATH=none. */
export function openBackend(): Promise<MediaBackend> {
  return openMediaBackend(process.env['FFMPEG_PATH'], { limits, timers: systemInterfaces.timers });
}

/** A media file that is read several times. */
export class BenchClip {
  private readonly backend: MediaBackend;
  readonly path: string;
  readonly info: MediaInfo;
  private whole: Promise<Picture[]> | undefined;

  private constructor(backend: MediaBackend, path: string, info: MediaInfo) {
    this.backend = backend;
    this.path = path;
    this.info = info;
  }

  static async open(backend: MediaBackend, path: string): Promise<BenchClip> {
    return new BenchClip(backend, path, await backend.probe(path, new AbortController().signal));
  }

  packets(): ReturnType<MediaBackend['packets']> {
    return this.backend.packets(this.path, this.info, new AbortController().signal);
  }

  /** Decodes and measures the pictures at the size of the analysis. */
  measure(skip: PictureRequest['skip']): Promise<Measured> {
    return measurePictures(this.pictures(analysisWidth, analysisHeight, skip));
  }

  /**
   * Measures every picture of a window. Takes the pictures from one kept decoding of the whole clip instead of decoding the
   * window: with thirty small processes per clip, the benchmark would measure how fast processes start.
   */
  async measureWindow({ from, to }: TimeWindow): Promise<Measured> {
    this.whole ??= this.readWhole();
    const meter = new PictureMeter();
    for (const picture of await this.whole) if (picture.time >= from && picture.time < to) meter.add(picture);
    return meter.finish();
  }

  private async readWhole(): Promise<Picture[]> {
    const pictures: Picture[] = [];
    for await (const picture of this.pictures(analysisWidth, analysisHeight, 'none')) pictures.push(picture);
    return pictures;
  }

  pictures(width: number, height: number, skip: PictureRequest['skip']): ReturnType<MediaBackend['pictures']> {
    const { path, info } = this;
    return this.backend.pictures({ path, info, width, height, format: 'yuv420p', skip, signal: new AbortController().signal });
  }
}

/** Encodings of composed clips, as arguments of libx264. */
export const encodings: Readonly<Record<string, readonly string[]>> = {
  default: [],
  'fixed GOP of 50': ['-g', '50', '-keyint_min', '50', '-sc_threshold', '0'],
  'GOP to 250, low quality': ['-g', '250', '-preset', 'veryfast', '-crf', '30'],
};

export const clipRate = 25;

/**
 * Encodes composed pictures with the installed ffmpeg, because the product's encoder intentionally lacks these settings.
 * @throws Error with the messages of ffmpeg
 */
export async function encodeComposed(pictures: readonly Uint8Array[], encoding: readonly string[], output: string): Promise<void> {
  await runFfmpeg(['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${clipWidth}x${clipHeight}`, '-r', String(clipRate), '-i', 'pipe:0', '-c:v', 'libx264', ...encoding, output], pictures);
}
