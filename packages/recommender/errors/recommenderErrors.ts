import { defineErrors } from '@vouch/platform/errors/problem';
import { modelFileErrors } from '../engine/modelFile/modelFileErrors.ts';

/** Codes of the recommender interface. Retired codes are never used again. */
export const recommenderErrors = defineErrors({
  ...modelFileErrors.entries,
  'invalid-csv': {
    status: 422,
    title: 'An uploaded file cannot be used',
    cause: 'A file is not CSV in UTF-8, its header is not that of an entity or interaction table, or rows of it have faults. Nothing of the request was stored.',
    remedy: 'Each entry of `errors` names file, row, line, column, value and reason, up to 100 at once. Mend the file and send the request again.',
  },
  'no-files': {
    status: 422,
    title: 'The request has no file',
    cause: 'An upload needs at least one form field named `files` with a CSV file.',
    remedy: 'Send the file as a part named `files`: `curl -H "apikey: …" -F files=@movies.csv …`. The field may be repeated.',
  },
  'upload-interrupted': {
    status: 500,
    title: 'Reading an uploaded file was interrupted',
    cause: 'The process that reads the file ended before it was done, for example because the machine had no memory left. Nothing of the request was stored.',
    remedy: 'Send the request again. If it happens again, look up the request id in the log and run `vouch doctor`.',
  },
  'unknown-batch': {
    status: 404,
    title: 'The batch is not known',
    cause: 'No batch of the organization has this `batch_id`, or it was deleted.',
    remedy: 'List the batches with GET /v1/recommender/data_batch.',
  },
  'unknown-model': {
    status: 404,
    title: 'The model is not known',
    cause: 'No training of the organization was ever started with this `model_id`, or no `model_id` was given and no model is complete.',
    remedy: 'Check the spelling, or start a training with POST /v1/recommender/train.',
  },
  'unknown-entity': {
    status: 404,
    title: 'None of the entities is known to the model',
    cause: 'Every id in `entity_id` is missing from the data that the model was trained on.',
    remedy: 'Check the ids; an id with a comma stands in double quotes. Upload the entities and train again if they are new, or ask with `unknown=trending`, which answers trending items for ids that the model does not know.',
  },
  'model-not-ready': {
    status: 409,
    title: 'The model has not completed a training yet',
    cause: 'The model was asked for before its first training completed; it is queued, running, cancelled or ended with an error.',
    remedy: 'Follow GET /v1/recommender/{model_id}/status until it is completed.',
  },
  'no-usable-data': {
    status: 422,
    title: 'There is nothing to train on',
    cause: 'No batch matches the tags, or none of the rows that match can be used.',
    remedy: 'The detail says what was found. Upload data, or ask for other tags or a greater age.',
  },
  'too-many-types': {
    status: 422,
    title: 'There are too many entity types',
    cause: 'The entities of a training have more than 1,000 different types. Every item keeps a list for each type, so time and storage would grow with both.',
    remedy: 'Check whether another column, such as the id or the name, was uploaded as `type`. Put finer distinctions into `metadata`.',
  },
  'training-too-large': {
    status: 422,
    title: 'The training would take more memory than it may',
    cause: 'The data of the training was read, and what it would take is more than VOUCH_TRAIN_MEMORY, or than 60 % of the machine where that is not set. The model keeps answering with what it had.',
    remedy: 'The detail has both figures. Raise VOUCH_TRAIN_MEMORY on a machine that has the memory, or train on less data: fewer batches (data_tags) or younger interactions (maximum_interaction_age_days).',
  },
  'training-failed': {
    status: 500,
    title: 'The training failed',
    cause: 'The process that trains ended without a result.',
    remedy: 'The detail says how it ended. Run `vouch doctor`, and start the training again.',
  },
  'spark-failed': {
    status: 500,
    title: 'Spark could not do its part of the training',
    cause: 'VOUCH_SPARK_SUBMIT is set, and what it starts ended with an error or could not be started. The model keeps answering with what it had.',
    remedy: 'The detail has the last lines of what Spark said. Run `vouch doctor`, which tries the command, and see docs/guides/scale.md; without VOUCH_SPARK_SUBMIT the training runs on this machine alone.',
  },
});
