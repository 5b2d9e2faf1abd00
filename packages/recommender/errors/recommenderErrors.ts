import { defineErrors } from '@vouch/platform/errors/problem';
import { modelFileErrors } from '../engine/modelFile/modelFileErrors.ts';

/** Error codes of the recommender API. Retired codes are never reused. */
export const recommenderErrors = defineErrors({
  ...modelFileErrors.entries,
  'invalid-csv': {
    status: 422,
    title: 'An uploaded file is not valid',
    cause: 'A file is not CSV in UTF-8, its header is not that of an entity or interaction table, or some of its rows are invalid. Vouch stored nothing of the request.',
    remedy: 'Each entry of `errors` names file, row, line, column, value and reason, for up to 100 errors. Correct the file and send the request again.',
  },
  'no-files': {
    status: 422,
    title: 'The request contains no file',
    cause: 'An upload needs at least one form field named `files` with a CSV file.',
    remedy: 'Send the file as a part named `files`: `curl -H "apikey: …" -F files=@movies.csv …`. The field can occur several times.',
  },
  'upload-interrupted': {
    status: 500,
    title: 'Reading an uploaded file was interrupted',
    cause: 'The process that reads the file ended early, for example because the machine ran out of memory or because DuckDB is not installed. Vouch stored nothing of the request.',
    remedy: 'Send the request again. If the error persists, find the request id in the log and run `vouch doctor`.',
  },
  'unknown-batch': {
    status: 404,
    title: 'The batch does not exist',
    cause: 'The organization has no batch with this `batch_id`, or the batch was deleted.',
    remedy: 'List the batches with GET /v1/recommender/data_batch.',
  },
  'unknown-model': {
    status: 404,
    title: 'The model does not exist',
    cause: 'The organization never started a training with this `model_id`; or the request has no `model_id`, and no model is complete.',
    remedy: 'Check the spelling, or start a training with POST /v1/recommender/train.',
  },
  'unknown-version': {
    status: 404,
    title: 'The model has no such version',
    cause: 'The model never had a version with this number, the version was removed because newer versions replaced it, or no older version that served is kept.',
    remedy: 'List the versions with GET /v1/recommender/{model_id}/versions. VOUCH_KEPT_VERSIONS sets how many versions of a model are kept.',
  },
  'unknown-schedule': {
    status: 404,
    title: 'The model has no schedule',
    cause: 'Trainings of this model are not scheduled, or its schedule was deleted.',
    remedy: 'List the schedules with GET /v1/recommender/schedules, or make one with PUT /v1/recommender/schedules/{model_id}.',
  },
  'empty-schedule': {
    status: 400,
    title: 'The schedule would start no training',
    cause: 'A schedule needs `cron` or `after_interactions`, or both; the request has neither.',
    remedy: 'Add `cron`, for example `"0 3 * * *"` for every day at 03:00, or `after_interactions`. To end a schedule, delete it.',
  },
  'unknown-rule': {
    status: 404,
    title: 'The rule does not exist',
    cause: 'The organization has no rule with this name, or the rule was deleted.',
    remedy: 'List the rules with GET /v1/recommender/rules, or make one with PUT /v1/recommender/rules/{name}.',
  },
  'empty-rule': {
    status: 400,
    title: 'The rule would change no list',
    cause: 'A rule needs `filter` or `boost`, or both; the request has neither.',
    remedy: 'Add `filter`, for example `"item.stock > 0"`, or `boost`. To switch a rule off, send it with `"enabled": false`, or delete it.',
  },
  'too-many-rules': {
    status: 409,
    title: 'The organization has too many rules',
    cause: 'An organization has at most 100 rules, because every list evaluates the rules in force. Rules that are not enabled count too.',
    remedy: 'Delete rules that are no longer needed, or join the expressions of several rules.',
  },
  'unknown-experiment': {
    status: 404,
    title: 'The experiment does not exist',
    cause: 'The organization has no experiment with this id, or it was deleted.',
    remedy: 'List the experiments with GET /v1/recommender/experiments, or make one with PUT /v1/recommender/experiments/{id}.',
  },
  'too-many-experiments': {
    status: 409,
    title: 'The organization has too many experiments',
    cause: 'An organization has at most 100 experiments, because each counts the outcomes of its users.',
    remedy: 'Delete experiments that are no longer used.',
  },
  'unknown-entity': {
    status: 404,
    title: 'The model knows none of the entities',
    cause: 'None of the ids in `entity_id` is in the data that the model was trained on. The detail states whether an entity was sent without one of the `data_tags` of the model, was deleted, or waits for the next training.',
    remedy: 'Check the ids; put an id that contains a comma in double quotes. If the entities are new, upload them and train again, or add `unknown=trending` to get trending items for unknown ids.',
  },
  'invalid-expression': {
    status: 422,
    title: 'A filter or boost cannot be used',
    cause: 'The expression is not valid CEL, names a column that the model or the data does not have, has types that do not fit, or is too large.',
    remedy: 'The detail states the character and the reason, and the nearest column for an unknown column. docs/guides/filters.md describes the language.',
  },
  'expression-too-expensive': {
    status: 422,
    title: 'A filter or boost takes too long',
    cause: 'A filter that few items pass is tested on many items. Vouch stops after 5 million evaluations of parts of the expression per list, and refuses a filter of a training that would take 2 billion.',
    remedy: 'Make the expression smaller, limit the items by `entity_type`, or ask for fewer items.',
  },
  'model-not-ready': {
    status: 409,
    title: 'The model has no completed training',
    cause: 'The first training of the model has not completed: it is queued, running, cancelled or failed.',
    remedy: 'Poll GET /v1/recommender/{model_id}/status until `status` is `completed`.',
  },
  'no-usable-data': {
    status: 422,
    title: 'There is no data to train on',
    cause: 'No batch matches the tags, or the matching batches contain no usable rows.',
    remedy: 'The detail states what was found. Upload data, or select other tags or a higher maximum age.',
  },
  'too-many-types': {
    status: 422,
    title: 'There are too many entity types',
    cause: 'The entities of the training have more than 1,000 different types. Each item has a list per type, so time and storage would grow with the number of types.',
    remedy: 'Check whether the column `type` contains another value, such as an id or a name. Put finer distinctions into `metadata`.',
  },
  'training-too-large': {
    status: 422,
    title: 'The training needs too much memory',
    cause: 'The training would need more memory than VOUCH_TRAIN_MEMORY allows, by default 60 % of the memory of the machine. The earlier version of the model stays in use.',
    remedy: 'The detail states both numbers. Raise VOUCH_TRAIN_MEMORY on a machine with more memory, or train on less data: fewer batches (`data_tags`) or newer interactions (`maximum_interaction_age_days`).',
  },
  'training-failed': {
    status: 500,
    title: 'The training failed',
    cause: 'The training process ended without a result.',
    remedy: 'The detail states how the process ended, and what to do. `vouch doctor` lists each model whose last training failed, until a training of the model completes.',
  },
  'spark-failed': {
    status: 500,
    title: 'Spark failed',
    cause: 'The command in VOUCH_SPARK_SUBMIT ended with an error or could not be started. The earlier version of the model stays in use.',
    remedy: 'The detail has the last lines of the output of Spark. Run `vouch doctor`, which tests the command, and read docs/guides/scale.md. Without VOUCH_SPARK_SUBMIT, trainings run on this machine only.',
  },
});
