import { Type, type Static } from 'typebox';
import { defaultWeights } from './defaultWeights.ts';
import { outputKinds } from './outputs.ts';

const seconds = (description: string, limits: { minimum?: number; maximum?: number } = {}) =>
  Type.Number({ minimum: 0, maximum: 360_000, ...limits, description });

const Edge = (description: string) =>
  Type.Union([
    Type.Number({ minimum: 0, maximum: 360_000 }),
    Type.String({ pattern: '^(?:100|\\d{1,2}(?:\\.\\d{1,4})?)%$' }),
  ], { description, range: 'seconds, or a share such as "5%"' });

const Ranges = (description: string) =>
  Type.Array(
    Type.Object({ start: seconds('First second.'), end: seconds('Second at which it ends.') }, { additionalProperties: false }),
    { maxItems: 100, description },
  );

const share = (description: string, fallback?: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, ...(fallback === undefined ? {} : { default: fallback }) });

/** Options of a summarization. One schema for the HTTP interface, the command line and the engine. */
export const SummaryOptions = Type.Object({
  duration: Type.Optional(seconds('Length of the preview, seconds; 30 unless `ratio` is given.', { minimum: 1, maximum: 3600 })),
  ratio: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'Length of the preview as a share of the video, instead of `duration`.' })),
  max_segments: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Most segments of the preview.' })),
  min_segment_duration: Type.Optional(seconds('Shortest segment, seconds; 1.5 unless told, and no more than half of `max_segment_duration`.', { minimum: 0.2, maximum: 600 })),
  max_segment_duration: Type.Optional(seconds('Longest segment, seconds; 8 unless told.', { minimum: 0.2, maximum: 3600 })),
  exclude_start: Type.Optional(Edge('What is left out at the beginning: seconds, or a share such as "5%".')),
  exclude_end: Type.Optional(Edge('What is left out at the end: seconds, or a share such as "5%".')),
  include_ranges: Type.Optional(Ranges('Ranges that must be in the preview.')),
  exclude_ranges: Type.Optional(Ranges('Ranges that may not be in the preview.')),
  skip_credits: Type.Optional(Type.Boolean({ description: 'Leave out titles and credits; true unless told.' })),
  keep_speech_whole: Type.Optional(Type.Boolean({ description: 'Do not cut inside speech; true unless told.' })),
  order: Type.Optional(Type.Enum(['chronological', 'importance'], { description: 'Order of the segments; chronological unless told.' })),
  diversity: Type.Optional(share('How much a segment that shows something new counts against importance; 0.5 unless told.')),
  weights: Type.Optional(Type.Object({
    motion: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    sound: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    speech: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
  }, { additionalProperties: false, description: `Weights of the importance; motion ${defaultWeights.motion}, sound ${defaultWeights.sound}, speech ${defaultWeights.speech} unless told.` })),
  analysis: Type.Optional(Type.Enum(['auto', 'fast', 'balanced', 'accurate'], { description: 'How much of the video is decoded; auto chooses by its length, size and codec, and says which.' })),
  outputs: Type.Optional(Type.Array(
    Type.Enum(outputKinds),
    { maxItems: outputKinds.length, description: 'What is made; mp4, poster and storyboard unless told.' },
  )),
  width: Type.Optional(Type.Integer({ minimum: 16, maximum: 3840, description: 'Width of the preview, pixels; the larger of the two sides is at most 1280 unless told.' })),
  height: Type.Optional(Type.Integer({ minimum: 16, maximum: 3840, description: 'Height of the preview, pixels; follows the width unless told.' })),
  fps: Type.Optional(Type.Number({ minimum: 1, maximum: 60, description: 'Frames per second of the preview; those of the video, at most 60, unless told.' })),
  audio: Type.Optional(Type.Boolean({ description: 'Whether the preview has sound; true unless told.' })),
  crossfade: Type.Optional(seconds('Length of the crossfade between segments, seconds; 0 unless told.', { maximum: 2 })),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Seed of every random choice; 1 unless told.' })),
  subtitles_url: Type.Optional(Type.String({ maxLength: 2048, description: 'Address of subtitles (SubRip or WebVTT) that give titles and key sentences.' })),
}, { additionalProperties: false });

export type SummaryOptions = Static<typeof SummaryOptions>;
