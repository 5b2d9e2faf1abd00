import { nullable } from '@vouch/platform/http/nullable';
import { webAddress } from '@vouch/platform/http/parameters';
import { WaitingSchema } from '@vouch/platform/jobs/describeWaiting';
import { Type, type Static } from 'typebox';
import { SummaryOptions } from '../engine/options/options.schema.ts';
import { runExample } from './run.example.ts';

/** Maximum length of a URL. Signed URLs of object stores with a session token reach 2,000 characters. */
const addressLength = 8192;

export const RunRequest = Type.Object(
  {
    media_url: Type.String({
      described: { format: 'uri', pattern: '^([hH][tT][tT][pP][sS]?://|[sS]3://|upload:)' }, minLength: 1, maxLength: addressLength,
      description: 'URL of the media file, or of the HLS or DASH playlist of a complete recording, http or https; `s3://` with bucket and key, if the server reads the bucket; or `upload:` and the id of a complete upload (POST /v1/uploads).',
    }),
    on_completed_hook: Type.Optional(
      Type.String({ ...webAddress, maxLength: 2048, description: 'URL that receives a callback when the run ends, successful or not.' }),
    ),
    options: Type.Optional(SummaryOptions),
    cache_id: Type.Optional(
      Type.String({
        maxLength: 128,
        description: 'Id of an earlier run of the same media. The run reuses its analysis and its encoded segments.',
      }),
    ),
  },
  // The try-it page starts with this example. Without an example, the page fills in every field, which is invalid.
  { title: 'RunRequest', additionalProperties: false, examples: [{ media_url: 'https://example.org/film.mp4', options: { duration: 30 } }] },
);
export type RunRequest = Static<typeof RunRequest>;

const seconds = (description: string) => Type.Number({ description });

const WarningSchema = Type.Object({
  code: Type.String({ description: 'Stable name of the warning.' }),
  detail: Type.String(),
}, { title: 'RunWarning' });

/** Facts of the media file. */
const SourceSchema = Type.Object({
  container: Type.String(),
  bytes: Type.Integer(),
  duration: seconds('Length of the video, seconds.'),
  width: Type.Integer({ description: 'Width in pixels, after rotation.' }),
  height: Type.Integer(),
  fps: Type.Number({ description: 'Mean frame rate, frames per second.' }),
  codec: Type.String(),
  rotation: Type.Integer(),
  variable_frame_rate: Type.Boolean(),
  bit_depth: Type.Integer(),
  high_dynamic_range: Type.Boolean(),
  audio: nullable(Type.Object({ codec: Type.String(), sample_rate: Type.Integer(), channels: Type.Integer() })),
}, { title: 'Source' });
export type Source = Static<typeof SourceSchema>;

/** The decoder, and the tier of the analysis. */
const EngineSchema = Type.Object({
  backend: Type.Union([Type.Literal('ffmpeg'), Type.Literal('node-av')]),
  version: Type.String({ description: 'Version of FFmpeg.' }),
  analysis: Type.Union([Type.Literal('fast'), Type.Literal('balanced'), Type.Literal('accurate')]),
}, { title: 'Engine' });
export type EngineFacts = Static<typeof EngineSchema>;

const SegmentSchema = Type.Object({
  start: seconds('Start of the segment in the video, seconds.'),
  end: seconds('End of the segment in the video, seconds.'),
  score: Type.Number({ description: 'Score of the segment relative to the video, 0–1.' }),
  reasons: Type.Array(
    Type.Object(
      {
        kind: Type.String({ description: 'motion, sound, speech, novelty, diversity, text, query, repeat, included or whole' }),
        share: Type.Number({ description: 'Share of the score that would disappear without this reason, 0–1; 0 for repeat, which states a fact.' }),
      },
      { additionalProperties: true },
    ),
  ),
  title: nullable(Type.String()),
  text: nullable(Type.String()),
}, { title: 'Segment' });

const FramingSchema = Type.Object({
  mode: Type.Union([Type.Literal('whole'), Type.Literal('crop'), Type.Literal('pad')], { description: 'whole: the aspect ratio of the video; crop: a part of the picture; pad: the whole picture with black bars' }),
  picture_share: Type.Number({ description: 'Share of the area of the picture that the file shows, 0–1.' }),
  motion_share: nullable(Type.Number({ description: 'Share of the measured motion that the preview shows, 0–1; null if nothing moves.' })),
  faces_share: Type.Optional(nullable(Type.Number({ description: 'Share of the faces that a crop shows, 0–1; null without a crop, if no face was found, or if faces are not searched.' }))),
}, { title: 'Framing', description: 'What a preview or poster shows of the pictures of the video. Present with `aspect_ratios` or `framing`.' });

const PosterChoiceSchema = Type.Object({
  quality: Type.Number({ description: 'Quality of the picture by sharpness, exposure, contrast, colour, stillness and a little by the score of its segment, 0–1.' }),
  text: nullable(Type.Boolean({ description: 'Whether text over the picture was found; null if the picture was not searched.' })),
  face: nullable(Type.Number({ description: 'How well the picture shows a face, 0–1; 0 without a face that is sharp, whole and large enough, null if the picture was not searched.' })),
}, { title: 'PosterChoice', description: 'Why a picture is the poster or a candidate for it.' });

const OutputSchema = Type.Object({
  kind: Type.String({ description: 'mp4, webm, av1, hls, hls-media, gif, webp, poster, poster-candidate, storyboard-sprite, storyboard-vtt, keyframe, shots, curve, captions, chapters, otio, edl or fcpxml' }),
  url: Type.String({ description: 'Signed URL, which works without a key for at least 24 hours after this answer and supports ranges.' }),
  name: Type.String(),
  bytes: Type.Integer(),
  content_type: Type.String(),
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
  duration: Type.Optional(seconds('Playing time, seconds.')),
  time: Type.Optional(seconds('Time of the frame in the video, seconds.')),
  aspect_ratio: Type.Optional(Type.String({ description: 'Aspect ratio as requested in `aspect_ratios`.' })),
  framing: Type.Optional(FramingSchema),
  choice: Type.Optional(PosterChoiceSchema),
}, { title: 'Output' });

const statuses = ['queued', 'running', 'completed', 'error', 'cancelling', 'cancelled'] as const;

export const RunRecord = Type.Object(
  {
    run_id: Type.String(),
    status: Type.Enum([...statuses]),
    stage: nullable(Type.String({ description: 'download, probe, analyse, subtitles, select or render' })),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    eta_seconds: nullable(Type.Number({ description: 'Estimated time until the end; null while there is no estimate.' })),
    runs_ahead: nullable(Type.Integer({
      minimum: 0,
      description: 'Number of queued runs of the organization that begin before this run, without those that are running; 0: this run begins as soon as a worker is free. Null if the run is not queued or waits for a retry.',
    })),
    waiting: nullable(WaitingSchema),
    media_url: Type.String(),
    options: SummaryOptions,
    cache: Type.Object({
      id: nullable(Type.String()),
      hit: nullable(Type.Boolean({ description: 'Whether the run reused the analysis of the run in `cache_id`; null until known.' })),
    }),
    source: nullable(SourceSchema),
    engine: nullable(EngineSchema),
    segments: Type.Array(SegmentSchema),
    shots_count: nullable(Type.Integer({ description: 'Number of shots; null until known, and in the tier fast (`engine.analysis`), which decodes key frames only and reports no shots.' })),
    outputs: Type.Array(OutputSchema),
    warnings: Type.Array(WarningSchema),
    timings: Type.Record(Type.String(), Type.Number(), { description: 'Seconds of each finished stage.' }),
    error: nullable(
      Type.Object(
        { code: Type.String(), title: Type.String(), detail: Type.String(), type: Type.String() },
        { additionalProperties: true },
      ),
    ),
    created_at: Type.String({ format: 'date-time' }),
    started_at: nullable(Type.String({ format: 'date-time' })),
    completed_at: nullable(Type.String({ format: 'date-time' })),
  },
  { title: 'Run', examples: [runExample], description: 'A summarization and its results.' },
);
export type RunRecord = Static<typeof RunRecord>;
