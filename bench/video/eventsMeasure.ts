import { unspecifiedColour } from '../../packages/video/engine/media/colour.ts';
import { availableParallelism, tmpdir } from 'node:os';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemInterfaces } from '../../packages/platform/process/systemInterfaces.ts';
import { analyse } from '../../packages/video/engine/reading/analyse.ts';
import { analysisVersion, type Analysis, type Tier } from '../../packages/video/engine/analysis/analysis.ts';
import type { MediaBackend } from '../../packages/video/engine/media/mediaBackend.ts';
import type { MediaInfo } from '../../packages/video/engine/media/mediaInfo.ts';
import { openMediaBackend } from '../../packages/video/engine/backend/openMediaBackend.ts';
import { analysisHeight, analysisWidth } from '../../packages/video/engine/pictures/frameTrack.ts';
import { PictureMeter } from '../../packages/video/engine/pictures/pictureMeter.ts';
import { detectShots } from '../../packages/video/engine/shots/detectShots.ts';
import { withWholeFades } from '../../packages/video/engine/shots/wholeFades.ts';
import { measureSound } from '../../packages/video/engine/sound/measureSound.ts';
import { analysisSampleRate } from '../../packages/video/engine/sound/soundTrack.ts';
import { drawPictures } from './eventsPictures.ts';
import { framesPerSecond, type Script } from './eventsScript.ts';
import { playSound } from './eventsSound.ts';

/** Picture size of the encoded files. The direct path draws pictures at the size of the analysis. */
const width = 192;
const height = 108;

/** Opens the product's own reader and writer: the installed ffmpeg, or the npm package with FFMPEG_PATH=none. */
export function openEventsBackend(): Promise<MediaBackend> {
  const hour = 3600;
  return openMediaBackend(process.env['FFMPEG_PATH'], {
    limits: { memoryBytes: 4 * 2 ** 30, wallMs: hour * 1000, cpuSeconds: hour, diskBytes: 2 ** 32, pixels: 36_000_000, threads: availableParallelism(), niceness: 0 },
    timers: systemInterfaces.timers,
  });
}

/**
 * Passes the drawn pictures and the generated sound directly to the analysis, equivalent to the accurate tier on a lossless file.
 */
export async function measureDirectly(script: Script): Promise<Analysis> {
  const meter = new PictureMeter();
  let frame = 0;
  for (const data of drawPictures(script, analysisWidth, analysisHeight)) meter.add({ time: frame++ / framesPerSecond, data });
  const measured = meter.finish();
  const { transitions, shots } = withWholeFades(detectShots(measured, script.seconds), measured.frames);
  return {
    version: analysisVersion,
    tier: 'accurate',
    backend: { name: 'ffmpeg', version: 'none' },
    info: infoOf(script),
    frameTimes: measured.frames.times,
    frameSizes: new Uint32Array(frame),
    frames: measured.frames,
    sound: await measureSound([playSound(script, analysisSampleRate)]),
    transitions,
    shots,
    warnings: [],
  };
}

/** Encodes the script into a media file and analyses the file in each tier. */
export async function measureFile(backend: MediaBackend, script: Script, tiers: readonly Tier[]): Promise<Analysis[]> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-events-'));
  const { signal } = new AbortController();
  try {
    const samplesFile = join(folder, 'sound');
    const sampleRate = 48_000;
    const samples = playSound(script, sampleRate);
    await writeFile(samplesFile, Buffer.from(samples.buffer));
    const path = join(folder, 'video.mp4');
    await backend.encodeClip({
      width, height, rate: { numerator: framesPerSecond, denominator: 1 }, pictures: drawPictures(script, width, height),
      sound: { samplesFile, sampleRate, channels: 1 }, output: path, signal,
    });
    const info = await backend.probe(path, signal);
    const analyses: Analysis[] = [];
    for (const tier of tiers) analyses.push(await analyse({ backend, path, info, tier, signal, progress: () => undefined }));
    return analyses;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function infoOf(script: Script): MediaInfo {
  return {
    container: 'mp4', bytes: 1, start: 0, duration: script.seconds, subtitles: [],
    audio: { stream: 1, codec: 'aac', sampleRate: analysisSampleRate, channels: 1 },
    video: {
      stream: 0, codec: 'h264', width: analysisWidth, height: analysisHeight, rotation: 0, frameRate: { numerator: framesPerSecond, denominator: 1 },
      variableFrameRate: false, pixelFormat: 'yuv420p', bitDepth: 8, colour: unspecifiedColour, highDynamicRange: false,
    },
  };
}
