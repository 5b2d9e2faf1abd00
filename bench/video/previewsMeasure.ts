import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { analysisVersion, type Analysis } from '../../packages/video/engine/analysis/analysis.ts';
import { readAnalysis, writeAnalysis } from '../../packages/video/engine/analysis/analysisFile.ts';
import { unspecifiedColour } from '../../packages/video/engine/media/colour.ts';
import { analysisHeight, analysisWidth } from '../../packages/video/engine/pictures/frameTrack.ts';
import { PictureMeter } from '../../packages/video/engine/pictures/pictureMeter.ts';
import { detectShots } from '../../packages/video/engine/shots/detectShots.ts';
import { withWholeFades } from '../../packages/video/engine/shots/wholeFades.ts';
import { measureSound } from '../../packages/video/engine/sound/measureSound.ts';
import { framesPerSecond } from './eventsScript.ts';
import type { Film } from './previewsFilm.ts';
import { pictureHeight, pictureWidth, sampleRate } from './previewsMaterial.ts';

/**
 * Analyses a composed film, equivalent to the accurate tier on a lossless file. The analysis (without its timeline) is kept in
 * `folder`, so that another selection of the same film takes a second.
 */
export async function measureFilm(film: Film, folder: string): Promise<Analysis> {
  await mkdir(folder, { recursive: true });
  const kept = join(folder, `${film.name}.analysis`);
  try {
    return await readAnalysis(kept);
  } catch {
    const analysis = await analyseFilm(film);
    await writeAnalysis(kept, analysis);
    return analysis;
  }
}

async function analyseFilm(film: Film): Promise<Analysis> {
  const meter = new PictureMeter();
  let frame = 0;
  for (const { pictures } of film.shots) for (const picture of pictures) meter.add({ time: frame++ / framesPerSecond, data: halve(picture) });
  const measured = meter.finish();
  const { transitions, shots } = withWholeFades(detectShots(measured, film.seconds), measured.frames);
  return {
    version: analysisVersion,
    tier: 'accurate',
    backend: { name: 'ffmpeg', version: 'none' },
    info: {
      container: 'mp4', bytes: 1, start: 0, duration: film.seconds, subtitles: [],
      audio: { stream: 1, codec: 'aac', sampleRate, channels: 1 },
      video: {
        stream: 0, codec: 'h264', width: pictureWidth, height: pictureHeight, rotation: 0, frameRate: { numerator: framesPerSecond, denominator: 1 },
        variableFrameRate: false, pixelFormat: 'yuv420p', bitDepth: 8, colour: unspecifiedColour, highDynamicRange: false,
      },
    },
    frameTimes: measured.frames.times,
    frameSizes: new Uint32Array(frame),
    frames: measured.frames,
    sound: await measureSound([joinSound(film)]),
    transitions,
    shots,
    warnings: [],
  };
}

/** The sound of the whole film. */
export function joinSound({ seconds, shots }: Film): Int16Array {
  const sound = new Int16Array(Math.round(seconds * sampleRate));
  for (const shot of shots) {
    const from = Math.round(shot.start * sampleRate);
    sound.set(shot.sound.subarray(0, sound.length - from), from);
  }
  return sound;
}

/** Halves width and height of a picture by means of 2 × 2 pixels. */
function halve(picture: Uint8Array): Uint8Array {
  const half = new Uint8Array((analysisWidth * analysisHeight * 3) / 2);
  let out = 0;
  let from = 0;
  for (const [width, height] of [[pictureWidth, pictureHeight], [pictureWidth / 2, pictureHeight / 2], [pictureWidth / 2, pictureHeight / 2]] as const) {
    for (let y = 0; y < height; y += 2) {
      for (let x = 0; x < width; x += 2) {
        const at = from + y * width + x;
        half[out++] = (picture[at]! + picture[at + 1]! + picture[at + width]! + picture[at + width + 1]! + 2) >> 2;
      }
    }
    from += width * height;
  }
  return half;
}
