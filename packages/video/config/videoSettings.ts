import { Type, type Static } from 'typebox';

/** Settings of video summarization. Each key is the name of its environment variable in lower case, without `VOUCH_`. */
export const videoSettings = Type.Object({
  ffmpeg_path: Type.Optional(Type.String({
    minLength: 1, variable: 'FFMPEG_PATH',
    description: 'Path of the ffmpeg program (5.1 or newer, with ffprobe in the same folder), or `none` to use the libraries from npm. Default: ffmpeg from PATH if installed, otherwise the libraries from npm.',
  })),
  video_concurrency: Type.Integer({
    minimum: 1, maximum: 64, default: 1,
    description: 'Maximum number of concurrent summarizations of a worker process. Each uses up to two CPUs.',
  }),
  video_threads: Type.Integer({
    minimum: 1, maximum: 64, default: 2,
    description: 'Decoder and encoder threads per summarization.',
  }),
  video_niceness: Type.Integer({
    minimum: 0, maximum: 19, default: 5,
    description: 'CPU priority (nice value) of decoders and encoders. Next to one busy program on the same CPU, 0 gets half of the CPU, 5 a quarter, 10 a tenth, and 19 only idle time.',
  }),
  video_memory_mb: Type.Integer({
    minimum: 256, maximum: 1_000_000, default: 3072,
    description: 'Maximum memory of each decoder or encoder process, in MB. A summarization runs up to VOUCH_VIDEO_THREADS + 1 of these processes at once, at least three, and an engine process with up to 1,024 MB.',
  }),
  video_max_bytes: Type.Integer({
    minimum: 1024, maximum: 10_000_000_000_000, default: 10_737_418_240,
    description: 'Maximum size of a downloaded or uploaded video, in bytes.',
  }),
  video_uploads_max_bytes: Type.Integer({
    minimum: 1024, maximum: 1_000_000_000_000_000, default: 107_374_182_400,
    description: 'Maximum total size of the uploads of an organization that have not expired, in bytes.',
  }),
  video_max_seconds: Type.Integer({
    minimum: 1, maximum: 1_000_000, default: 28_800,
    description: 'Maximum length of a video, in seconds.',
  }),
  video_run_seconds: Type.Integer({
    minimum: 10, maximum: 1_000_000, default: 14_400,
    description: 'Maximum run time of a summarization, in seconds.',
  }),
  video_s3_sources: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/\\S*)?$' }), {
    list: 'commas', minItems: 1, maxItems: 100, range: 'a comma-separated list of buckets, or of buckets with the beginning of keys, such as films,archive/public',
    description: 'Buckets of an S3-compatible store whose objects `media_url` may name as s3://bucket/key. Every organization can read them. Default: none.',
  })),
  video_s3_endpoint: Type.Optional(Type.String({
    pattern: '^https?://\\S+$', range: 'an http(s) URL',
    description: 'URL of the S3-compatible store of VOUCH_VIDEO_S3_SOURCES. Default: Amazon S3.',
  })),
  video_s3_region: Type.String({ minLength: 1, default: 'us-east-1', description: 'Region of the buckets in VOUCH_VIDEO_S3_SOURCES.' }),
  video_s3_access_key_id: Type.Optional(Type.String({
    minLength: 1, secret: true,
    description: 'Access key id for VOUCH_VIDEO_S3_SOURCES; permission to read is enough. Default: the credentials that the AWS SDK finds (environment, profile, instance).',
  })),
  video_s3_secret_access_key: Type.Optional(Type.String({ minLength: 1, secret: true, description: 'Secret access key for VOUCH_VIDEO_S3_SOURCES.' })),
  video_transcription_url: Type.Optional(Type.String({
    pattern: '^https?://\\S+$', range: 'an http(s) URL',
    description: 'Base URL of a service with the transcriptions of the OpenAI API, such as http://127.0.0.1:8080/v1. It receives the sound of videos without subtitles. Default: no transcription.',
  })),
  video_transcription_model: Type.String({ minLength: 1, default: 'whisper-1', description: 'Model of VOUCH_VIDEO_TRANSCRIPTION_URL; it must return segments with times.' }),
  video_transcription_key: Type.Optional(Type.String({ minLength: 1, secret: true, description: 'API key for VOUCH_VIDEO_TRANSCRIPTION_URL. Default: none.' })),
  video_cache_hours: Type.Integer({
    minimum: 0, maximum: 87_600, default: 24,
    description: 'Hours for which the downloaded video and the encoded segments remain available to runs with `cache_id`. The analysis remains with its run.',
  }),
});

export type VideoSettings = Static<typeof videoSettings>;
