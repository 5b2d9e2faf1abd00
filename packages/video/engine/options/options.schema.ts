import { Type, type Static } from 'typebox';
import { aspectRatioPattern } from './aspectRatio.ts';
import { defaultWeights } from './defaultWeights.ts';
import { outputKinds } from './outputs.ts';

const seconds = (description: string, limits: { minimum?: number; maximum?: number } = {}) =>
  Type.Number({ minimum: 0, maximum: 360_000, ...limits, description });

const Edge = (description: string) =>
  Type.Union([
    Type.Number({ minimum: 0, maximum: 360_000 }),
    Type.String({ pattern: '^(?:100|\\d{1,2}(?:\\.\\d{1,4})?)%$' }),
  ], { description, range: 'seconds, or a percentage such as "5%"' });

const Ranges = (description: string) =>
  Type.Array(
    Type.Object({ start: seconds('Start of the range, seconds.'), end: seconds('End of the range, seconds.') }, { additionalProperties: false }),
    { maxItems: 100, description },
  );

const share = (description: string, fallback?: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, ...(fallback === undefined ? {} : { default: fallback }) });

/** Options of a summarization. One schema for the HTTP interface, the command line and the engine. */
export const SummaryOptions = Type.Object({
  duration: Type.Optional(seconds('Length of the preview, seconds. Default: 30, unless `ratio` is set.', { minimum: 1, maximum: 3600 })),
  ratio: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'Length of the preview as a fraction of the length of the video. Excludes `duration`.' })),
  max_segments: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Maximum number of segments.' })),
  min_segment_duration: Type.Optional(seconds('Minimum length of a segment, seconds. Default: 1.5, at most half of `max_segment_duration`.', { minimum: 0.2, maximum: 600 })),
  max_segment_duration: Type.Optional(seconds('Maximum length of a segment, seconds. Default: 8.', { minimum: 0.2, maximum: 3600 })),
  exclude_start: Type.Optional(Edge('Part to exclude at the beginning: seconds, or a percentage such as "5%".')),
  exclude_end: Type.Optional(Edge('Part to exclude at the end: seconds, or a percentage such as "5%".')),
  include_ranges: Type.Optional(Ranges('Ranges that the preview must contain.')),
  exclude_ranges: Type.Optional(Ranges('Ranges that the preview must not contain.')),
  skip_credits: Type.Optional(Type.Boolean({ description: 'Whether to exclude titles and credits. Default: true.' })),
  keep_speech_whole: Type.Optional(Type.Boolean({ description: 'Whether to avoid cuts within speech. Default: true.' })),
  order: Type.Optional(Type.Enum(['chronological', 'importance'], { description: 'Order of the segments. Default: chronological.' })),
  diversity: Type.Optional(share('Weight of novelty relative to importance when segments are selected. Default: 0.5.')),
  weights: Type.Optional(Type.Object({
    motion: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    sound: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    speech: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
  }, { additionalProperties: false, description: `Weights of the parts of importance. Default: motion ${defaultWeights.motion}, sound ${defaultWeights.sound}, speech ${defaultWeights.speech}.` })),
  analysis: Type.Optional(Type.Enum(['auto', 'fast', 'balanced', 'accurate'], { description: 'How much of the video to decode. `auto` chooses by length, frame size and codec of the video; `engine.analysis` has the choice. Default: auto.' })),
  outputs: Type.Optional(Type.Array(
    Type.Enum(outputKinds),
    { maxItems: outputKinds.length, description: 'Files to create. `av1` is an mp4 file with AV1, if the server has an encoder for it; `hls` is a playlist with one fragmented mp4 file; `poster_candidates` are the three best pictures for a poster; `captions` and `chapters` are WebVTT files for the preview; `otio` (OpenTimelineIO), `edl` (CMX 3600) and `fcpxml` are edit lists for editing programs. Default: mp4, poster and storyboard.' },
  )),
  width: Type.Optional(Type.Integer({ minimum: 16, maximum: 3840, description: 'Width of the preview, pixels. Default: the width of the video, scaled so that the longer side has at most 1280 pixels.' })),
  height: Type.Optional(Type.Integer({ minimum: 16, maximum: 3840, description: 'Height of the preview, pixels. Default: keeps the aspect ratio.' })),
  aspect_ratios: Type.Optional(Type.Array(
    Type.String({ pattern: aspectRatioPattern, maxLength: 9 }),
    { maxItems: 5, description: 'Aspect ratios of the preview, such as "16:9", "1:1" and "9:16", each with its own mp4, webm, av1, hls, gif, webp and poster. With `width` or `height`, each has this width or height. Default: the aspect ratio of the video.' },
  )),
  framing: Type.Optional(Type.Enum(['crop', 'pad'], { description: 'How a preview gets an aspect ratio other than that of the video: `crop` shows the part with the most motion and follows the motion, `pad` adds black bars. Applies to `aspect_ratios`, or to `width` with `height`, which are then the exact size. Default: crop with `aspect_ratios`; without them, the preview keeps the aspect ratio of the video.' })),
  fps: Type.Optional(Type.Number({ minimum: 1, maximum: 60, description: 'Frame rate of the preview, frames per second. Default: the frame rate of the video, at most 60.' })),
  audio: Type.Optional(Type.Boolean({ description: 'Whether the preview has sound. Default: true.' })),
  crossfade: Type.Optional(seconds('Length of the crossfade between segments, seconds. A crossfade takes at most half of either segment. Default: 0.', { maximum: 2 })),
  burn_captions: Type.Optional(Type.Boolean({ description: 'Whether to draw the subtitles into the pictures of the preview. Default: false.' })),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Seed of every random choice. Default: 1.' })),
  query: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'What the preview should show, in words of the subtitles, such as "the goal and the interview". Needs subtitles.' })),
  subtitles_url: Type.Optional(Type.String({ maxLength: 2048, description: 'URL of subtitles (SubRip or WebVTT), from which segments get titles and key sentences. Default: the subtitles inside the video file.' })),
  subtitles_language: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$', maxLength: 35, description: 'Language of the subtitles inside the video file, such as "en" or "ger". Default: the first text subtitles.' })),
}, { title: 'SummaryOptions', additionalProperties: false });

export type SummaryOptions = Static<typeof SummaryOptions>;
