import { unspecifiedColour } from '../media/colour.ts';
import type { Analysis } from '../analysis/analysis.ts';
import { layoutLength, layoutStep, type FrameTrack } from '../pictures/frameTrack.ts';
import type { Shot, Transition } from '../shots/shot.ts';
import { melBands, soundStep } from '../sound/soundTrack.ts';

/** A scene of a synthetic video. Omitted values have defaults; omitted values of an event are those of its scene. */
export interface TestScene {
  seconds: number;
  /** Grey value of the picture; scenes with the same value look the same. */
  look: number;
  /** Number of the still page that the scene shows. Default: 0, none. */
  page?: number;
  motion?: number;
  loudness?: number;
  /** Whether the scene has speech: words of 0.4 s with pauses of 0.2 s. */
  talk?: boolean;
  black?: boolean;
  /** An event within the scene; `at` is the time since the start of the scene, seconds. */
  event?: { at: number; seconds: number; motion?: number; loudness?: number };
}

const testFrameRate = 25;

/** Makes the analysis of a synthetic video with a cut between all scenes, so that the expected results are obvious. */
export function testAnalysis(scenes: readonly TestScene[], options: { silent?: boolean; noise?: number } = {}): Analysis {
  const starts = scenes.map((_, index) => scenes.slice(0, index).reduce((sum, scene) => sum + scene.seconds, 0));
  const duration = scenes.reduce((sum, scene) => sum + scene.seconds, 0);
  const count = Math.round(duration * testFrameRate);
  const times = Float64Array.from({ length: count }, (_, index) => index / testFrameRate);
  const at = (time: number): { scene: TestScene; local: number } => {
    const index = starts.findLastIndex((start) => start <= time + 1e-9);
    return { scene: scenes[index]!, local: time - starts[index]! };
  };
  const noise = options.noise ?? 0.2;
  const wobble = (index: number): number => 1 + 0.1 * Math.sin(index * 1.7) + 0.05 * Math.sin(index * 0.31);
  const eventOf = ({ scene, local }: ReturnType<typeof at>): TestScene['event'] =>
    scene.event !== undefined && local >= scene.event.at && local < scene.event.at + scene.event.seconds ? scene.event : undefined;
  const motion = Float32Array.from(times, (time, index) => {
    const place = at(time);
    return (eventOf(place)?.motion ?? place.scene.motion ?? noise) * wobble(index);
  });
  const shots: Shot[] = scenes.map((scene, index) => ({ start: starts[index]!, end: starts[index]! + scene.seconds }));
  const transitions: Transition[] = starts.slice(1).map((start) => ({ kind: 'cut', start, end: start, confidence: 1 }));
  for (const { start } of transitions) motion[Math.round(start * testFrameRate)] = 60;
  motion[0] = 0;
  const per = (value: (scene: TestScene) => number): Float32Array => Float32Array.from(times, (time) => value(at(time).scene));
  const layouts = new Uint8Array(Math.ceil(duration / layoutStep) * layoutLength);
  for (let row = 0; row < layouts.length / layoutLength; row++) {
    const { look } = at(row * layoutStep).scene;
    // Each value of `look` has its own pattern, not only its own brightness.
    for (let index = 0; index < layoutLength; index++) layouts[row * layoutLength + index] = 128 + Math.round(80 * Math.sin(look * (index + 1)));
  }
  return {
    version: 1,
    tier: 'accurate',
    backend: { name: 'ffmpeg', version: 'none' },
    info: {
      container: 'mp4', bytes: 1, start: 0, duration, audio: options.silent === true ? null : { stream: 1, codec: 'aac', sampleRate: 48_000, channels: 2 }, subtitles: [],
      video: {
        stream: 0, codec: 'h264', width: 640, height: 360, rotation: 0, frameRate: { numerator: testFrameRate, denominator: 1 },
        variableFrameRate: false, pixelFormat: 'yuv420p', bitDepth: 8, colour: unspecifiedColour, highDynamicRange: false,
      },
    },
    frameTimes: times,
    frameSizes: Uint32Array.from(motion, (value, index) => 200 + Math.round(800 * value) + (index % 50 === 0 ? 20_000 : 0)),
    frames: {
      times, difference: motion, residual: motion.slice(), pan: new Float32Array(count),
      brightness: per((scene) => (scene.black === true ? 16 : 110)), contrast: per((scene) => (scene.black === true ? 1 : 40)),
      saturation: per((scene) => (scene.black === true ? 0 : 20)), detail: per((scene) => (scene.black === true ? 0 : 6)),
      sharpness: per((scene) => (scene.black === true ? 0 : 2.5)), layouts,
      pages: Uint32Array.from({ length: layouts.length / layoutLength }, (_, row) => at(row * layoutStep).scene.page ?? 0),
    },
    sound: options.silent === true ? null : testSound(duration, (time) => {
      const place = at(time);
      const talks = place.scene.talk === true && place.local % 0.6 < 0.4;
      return { loudness: eventOf(place)?.loudness ?? (talks ? -22 : (place.scene.loudness ?? -60)), speech: talks ? 0.9 : 0 };
    }),
    transitions,
    shots,
    warnings: [],
  };
}

function testSound(duration: number, at: (time: number) => { loudness: number; speech: number }): Analysis['sound'] {
  const count = Math.round(duration / soundStep);
  const values = Array.from({ length: count }, (_, index) => at((index + 0.5) * soundStep));
  const spectra = new Float32Array(Math.ceil(duration * 2) * melBands);
  for (let index = 0; index < spectra.length; index++) {
    const level = at(Math.min(duration - 0.01, Math.floor(index / melBands) / 2 + 0.25)).loudness;
    spectra[index] = (level / 10) * Math.LN10 - 0.1 * (index % melBands);
  }
  return {
    loudness: Float32Array.from(values, (value, index) => value.loudness + Math.sin(index * 0.9)),
    onset: Float32Array.from(values, (value, index) => Math.max(0, (value.loudness - (values[index - 1]?.loudness ?? value.loudness)) / 10) + 0.05),
    speech: Float32Array.from(values, (value) => value.speech),
    spectra,
  };
}

/** The pictures at the chosen times, as if a tier had not decoded the others. */
export function keepPictures(frames: FrameTrack, chosen: (time: number) => boolean): FrameTrack {
  const kept = <Values extends Float32Array | Float64Array>(values: Values): Values => values.filter((_, index) => chosen(frames.times[index]!)) as Values;
  const { layouts, pages, times, difference, residual, pan, brightness, contrast, saturation, detail, sharpness } = frames;
  return {
    layouts, pages, times: kept(times), difference: kept(difference), residual: kept(residual), pan: kept(pan), brightness: kept(brightness),
    contrast: kept(contrast), saturation: kept(saturation), detail: kept(detail), sharpness: kept(sharpness),
  };
}

/** The pictures at the given times mixed with one colour; `share` is 0 for that colour alone, 1 for the picture. */
export function faded(analysis: Analysis, share: (time: number) => number, colour = 16): Analysis {
  const { times, brightness, contrast, sharpness } = analysis.frames;
  const shares = Float32Array.from(times, share);
  return { ...analysis, frames: {
    ...analysis.frames, brightness: brightness.map((value, index) => colour + (value - colour) * shares[index]!),
    contrast: contrast.map((value, index) => value * shares[index]!), sharpness: sharpness.map((value, index) => Math.min(value, value * 10 * shares[index]!)),
  } };
}
