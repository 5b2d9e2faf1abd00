import { Type, type Static } from 'typebox';

/** Settings of the recommender. A key is the environment variable's name in lower case without the prefix VOUCH_. */
export const recommenderSettings = Type.Object({
  upload_max_bytes: Type.Integer({
    minimum: 1024,
    maximum: 100_000_000_000,
    default: 1_073_741_824,
    description: 'Maximum size of an uploaded file in bytes, both as sent and after decompression.',
  }),
  upload_max_rows: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 10_000_000,
    description: 'Maximum number of data rows in an uploaded file.',
  }),
  upload_concurrency: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 2,
    description:
      'Number of uploaded files that one server reads at once; each file needs up to 300 MB of memory. One extra place is reserved for files up to 4 MB, which need half as much memory. Further files wait on the disk, and organizations take turns.',
  }),
  training_concurrency: Type.Integer({
    minimum: 0,
    maximum: 64,
    default: 0,
    description:
      'Number of models that one worker process trains at once. 0 means one per processor, as far as 60 % of the memory has room for them: for VOUCH_TRAIN_MEMORY each if that is set, otherwise for 3 GB each.',
  }),
  train_memory: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description:
      'Maximum memory of one training process in MB; 0 means 60 % of the memory of the machine, shared by the trainings that run at once: a training waits for others if it needs more than they leave. A training that needs more than the maximum ends with an error before the computation.',
  }),
  train_niceness: Type.Integer({
    minimum: 0, maximum: 19, default: 5,
    description: 'Priority of the training process. Next to another busy program, a training with 0 gets half of a processor, with 5 a quarter, with 10 a tenth, and with 19 only idle time. Next to four busy programs per processor: 20 %, 8 %, 3 % and nothing.',
  }),
  kept_versions: Type.Integer({
    minimum: 2, maximum: 1000, default: 3,
    description: 'Number of newest versions of each model that are kept, so that POST /v1/recommender/{model_id}/rollback can make one serve again. Versions that were worse and never served count on their own. The version that serves is always kept. Completed trainings remove older versions; their files are deleted a day later.',
  }),
  recorded_answers: Type.Integer({
    minimum: 0, maximum: 10_000, default: 1_000,
    description: 'Number of latest answers with lists that are kept per organization, for at most 30 days, so that the preview of a rule can show what the rule would have changed: the parameters of the request, with entities and sessions, and the first 100 items of each list. Up to 20 answers a second per server are recorded. 0 records none and deletes the recorded answers.',
  }),
  experiment_lag_seconds: Type.Integer({
    minimum: 1, maximum: 3600, default: 30,
    description: 'Time in seconds after which an event counts as an outcome of an experiment. By then, the answers that its user got before must be stored, so the time must exceed the differences between the clocks of the servers by a few seconds. All servers must have the same value.',
  }),
  spark_submit: Type.Optional(Type.String({
    minLength: 1,
    description:
      'Command line that submits to Apache Spark, e.g. `/opt/spark/bin/spark-submit --master spark://host:7077`; no shell interprets it. Trainings then prepare their data and compute candidates on Spark. Default: trainings run on this machine only.',
  })),
});

export type RecommenderSettings = Static<typeof recommenderSettings>;
