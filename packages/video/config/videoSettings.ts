import { Type, type Static } from 'typebox';

/** Settings of video summarization. Each key is the name of its environment variable in lower case, without `VOUCH_`. */
export const videoSettings = Type.Object({
  ffmpeg_path: Type.Optional(Type.String({
    minLength: 1, variable: 'FFMPEG_PATH',
    description: 'The ffmpeg program (5.1 or newer; ffprobe is looked for beside it), or `none` to use the libraries from npm. Default: ffmpeg from PATH where there is one, else npm.',
  })),
  video_concurrency: Type.Integer({
    minimum: 1, maximum: 64, default: 1,
    description: 'How many summarizations one worker process runs at once; each uses up to two processors.',
  }),
  video_threads: Type.Integer({
    minimum: 1, maximum: 64, default: 2,
    description: 'Decoder and encoder threads of one summarization.',
  }),
  video_niceness: Type.Integer({
    minimum: 0, maximum: 19, default: 5,
    description: 'How much decoders and encoders give way to other programs: beside a busy one, 0 gets half of a processor, 5 a quarter, 10 a tenth, and 19 what all others leave, which may be nothing.',
  }),
  video_memory_mb: Type.Integer({
    minimum: 256, maximum: 1_000_000, default: 3072,
    description: 'Most memory of each decoder or encoder of a summarization, in MB. One more than VOUCH_VIDEO_THREADS may run at once, three at least, and the engine that measures has up to 1,024 MB of its own.',
  }),
  video_max_bytes: Type.Integer({
    minimum: 1024, maximum: 10_000_000_000_000, default: 10_737_418_240,
    description: 'Most bytes of a downloaded video.',
  }),
  video_max_seconds: Type.Integer({
    minimum: 1, maximum: 1_000_000, default: 28_800,
    description: 'Longest video that is summarized, in seconds.',
  }),
  video_run_seconds: Type.Integer({
    minimum: 10, maximum: 1_000_000, default: 14_400,
    description: 'Longest time of one summarization, in seconds.',
  }),
  video_cache_hours: Type.Integer({
    minimum: 0, maximum: 87_600, default: 24,
    description: 'How long the downloaded video and the encoded segments are kept for runs with `cache_id`; the analysis is kept with its run.',
  }),
});

export type VideoSettings = Static<typeof videoSettings>;
