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
    description:
      'How many uploaded files one server reads at once; each takes up to 300 MB of memory. One place more is kept for files up to 4 MB, which take half of that. Further files wait on the disk, and organizations come in turns.',
  }),
  training_concurrency: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 1,
    description: 'How many models one worker process trains at once.',
  }),
  train_memory: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description:
      'Most memory of one training process in MB; 0 takes 60 % of the machine, shared by the trainings that may run at once. A training that would need more says so before it starts.',
  }),
  train_niceness: Type.Integer({
    minimum: 0, maximum: 19, default: 10,
    description: 'How much a training gives way to other programs: beside a busy one, 0 gets half of a processor, 5 a quarter, 10 a tenth, and 19 what all others leave, which may be nothing.',
  }),
  spark_submit: Type.Optional(Type.String({
    minLength: 1,
    description:
      'Command line that submits to Apache Spark, e.g. `/opt/spark/bin/spark-submit --master spark://host:7077`; no shell reads it. Trainings then prepare their data and compute candidates there. Default: all on this machine.',
  })),
});

export type RecommenderSettings = Static<typeof recommenderSettings>;
