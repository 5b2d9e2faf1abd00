import { Type, type Static } from 'typebox';

/** Settings of the recommender; a key is its variable without VOUCH_ in lower case. */
export const recommenderSettings = Type.Object({
  upload_max_bytes: Type.Integer({
    minimum: 1024,
    maximum: 100_000_000_000,
    default: 1_073_741_824,
    description: 'Most bytes of one uploaded file, as sent and also after decompression.',
  }),
  upload_max_rows: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 10_000_000,
    description: 'Most data rows of one uploaded file.',
  }),
  upload_concurrency: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 2,
    description: 'How many uploaded files one server reads at once; each takes up to 300 MB of memory. Further uploads wait.',
  }),
  training_concurrency: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 1,
    description: 'How many models one worker process trains at once.',
  }),
  training_memory_mb: Type.Integer({
    minimum: 512,
    maximum: 1_000_000,
    default: 4096,
    description: 'Most memory of one training process in MB; a training that needs more ends with a sentence.',
  }),
});

export type RecommenderSettings = Static<typeof recommenderSettings>;
