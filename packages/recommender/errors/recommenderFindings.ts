import { defineFindings } from '@vouch/platform/product/findings';

/** Findings about the data reader, trainings, rules, uploaded interactions and Spark. */
export const recommenderFindings = defineFindings({
  'duckdb-unavailable': {
    status: 'fault', title: 'DuckDB cannot be loaded', cause: 'The npm package of DuckDB, or its binary for this platform, is missing. No upload and no training works; trained models answer.',
    remedy: 'Run npm ci in the checkout, on this machine and with optional packages (without --omit=optional).',
  },
  'last-training-failed': {
    status: 'warning', title: 'The last training of a model failed',
    cause: 'The training ended with an error, and no later training of the model completed. Queries use the earlier version of the model, if there is one, so newer entities, changes and most new interactions are missing in lists.',
    remedy: 'Follow the message, then start the training again. The finding disappears when a training of the model completes.',
  },
  'rule-skipped': {
    status: 'warning', title: 'Lists do without a rule, or are empty with it', cause: 'The expression of a rule in force names a column that a model does not have, or compares values of different types; or its filter is true for no item, for example because of a misspelt value.',
    remedy: 'Correct the expression, or set model_id of the rule to a model that has its columns, with PUT /v1/recommender/rules/{name}; or upload the column and train again.',
  },
  'uploads-waiting': {
    status: 'warning', title: 'Uploaded files do not count in lists yet',
    cause: 'Each server keeps the interactions uploaded since the trainings in memory: at most 256 MiB, and 500 files of an organization. Files beyond this, and files that cannot be read, count after the next training. The metric `vouch_recommender_uploads_waiting` has their number.',
    remedy: 'Train each model of the organization: a file that all models contain needs no memory. Upload fewer and larger files, or set a schedule with after_interactions. If a file cannot be read, check the blob store, then delete the batch and upload the file again.',
  },
  'spark-unavailable': {
    status: 'fault', title: 'Spark does not run', cause: 'The command in `VOUCH_SPARK_SUBMIT` does not start. Trainings fail.',
    remedy:
      'Set VOUCH_SPARK_SUBMIT to a command line that works in a shell, e.g. "/opt/spark/bin/spark-submit --master spark://host:7077"; ' +
      'it needs Java 17 or newer. Without it trainings run on this machine alone.',
  },
});
