import type { Client } from '@vouch/client/client';
import type { Evaluation, Model, ModelVersion, Training } from '@vouch/client/generated/schemas';
import type { Command } from 'commander';
import { addServerFlags, callServer, collectWords, parseNumber, type ServerFlags } from '../terminal/callServer.ts';
import { shellWord } from '../terminal/shellWord.ts';
import { runStoppable } from '../terminal/stopWithSignals.ts';
import { formatTable } from '../terminal/table.ts';
import { withProgress } from '../terminal/withProgress.ts';

interface TrainFlags extends ServerFlags {
  tag?: string[];
  maxAge?: number;
  filter?: string;
  wait: boolean;
}

export function addModels(program: Command): void {
  const models = program.command('models').description('List, train and roll back the models of a running server.');
  addServerFlags(models.command('list').description('List the models, the newest training first.'))
    .action((flags: ServerFlags) => callServer(flags, async (client) => collect(client.pages('listModels')), describeModels));
  addServerFlags(models.command('show <model>').description('Print the latest training of a model: its state, data and metrics.'))
    .action((model: string, flags: ServerFlags) => callServer(flags, (client) => client.getTraining({ model_id: model }), describeTraining));
  addServerFlags(models.command('train [model]').description('Train a model from the uploaded batches, and wait until the training ends.')
    .option('--tag <tags>', 'use only batches that have any of these tags, separated by commas', collectWords)
    .option('--max-age <days>', 'use only interactions of the last days', parseNumber)
    .option('--filter <expression>', 'use only data for which the expression is true, such as item.year >= 2000 (docs/guides/filters.md)')
    .option('--no-wait', 'return when the training is queued'))
    .addHelpText('after', `
Without a name, the server chooses the id of the model. Ctrl-C ends the wait and not the training; vouch models cancel ends the training.
Other options of trainings: POST /v1/recommender/train. Exits with 3 if the data has nothing to train with.`)
    .action((model: string | undefined, flags: TrainFlags) => callServer(flags, (client) => train(client, model, flags), describeTraining));
  addServerFlags(models.command('cancel <model>').description('Stop the running training of a model and the trainings that wait for it.'))
    .action((model: string, flags: ServerFlags) => callServer(flags, (client) => client.cancelTrainings({ model_id: model }), describeTraining));
  addServerFlags(models.command('versions <model>').description('List the kept versions of a model, the newest first.'))
    .action((model: string, flags: ServerFlags) => callServer(flags, (client) => client.listVersions({ model_id: model }), describeVersions));
  addServerFlags(models.command('roll-back <model> <version>').description('Let a kept version of a model answer queries.'))
    .action((model: string, version: string, flags: ServerFlags) => callServer(flags, (client) => client.rollBackModel({ model_id: model, version: parseNumber(version) }),
      ({ version: serving }) => `Version ${serving} of the model ${model} answers queries.`));
}

async function train(client: Client, model: string | undefined, { tag, maxAge, filter, wait }: TrainFlags): Promise<Training> {
  const started = await client.startTraining({
    ...(model === undefined ? {} : { model_id: model }), ...(tag === undefined ? {} : { data_tags: tag }), ...(maxAge === undefined ? {} : { maximum_interaction_age_days: maxAge }),
    ...(filter === undefined ? {} : { parameters: { filter } }),
  });
  if (!wait) return started;
  const { model_id: id } = started;
  return runStoppable(
    (signal) => withProgress((show) => client.waitForModel(id, { signal, onProgress: ({ stage, progress }) => show(stage ?? 'queued', progress) })),
    () => `The training of the model ${id} continues. vouch models show ${shellWord(id)} prints its state; vouch models cancel ${shellWord(id)} ends it.`,
  );
}

async function collect<Each>(records: AsyncIterable<Each>): Promise<Each[]> {
  const all: Each[] = [];
  for await (const each of records) all.push(each);
  return all;
}

function describeModels(models: readonly Model[]): string {
  if (models.length === 0) return 'There are no models. vouch models train makes one from the uploaded batches.';
  const rows = models.map(({ model_id: id, serving_version: version, served_since: since, metrics, training: { status } }) =>
    [id, version ?? '', since ?? '', recall(metrics), metrics?.verdict ?? '', status]);
  return formatTable('Models', ['id', 'version', 'serves since', 'recall@20', 'verdict', 'latest training'], rows);
}

function describeTraining({ model_id: id, status, stage, progress, serving_version: version, metrics, data, error, waiting, warnings }: Training): string {
  const at = status === 'running' ? ` (${stage ?? 'starting'}, ${Math.floor(progress * 100)} %)` : '';
  return [
    `The training of the model ${id}: ${status}${at}. ${version === null ? 'No version serves yet.' : `Version ${version} serves.`}`,
    ...(data === null ? [] : [`Data: ${data.entities.distinct} entities, ${data.interactions.rows} interactions in ${data.batches} ${data.batches === 1 ? 'batch' : 'batches'}.${data.filter === undefined ? '' : ` The filter left ${data.filter.entities} entities and ${data.filter.interactions} pairs out.`}`]),
    ...(metrics === null ? [] : [`recall@20 ${recall(metrics)}, popularity ${metrics.popularity['recall@20'].value.toFixed(3)}: ${metrics.verdict_reason}`]),
    ...(waiting === null ? [] : [waiting.detail]),
    ...(error === null ? [] : [`Error ${error.code}: ${error.detail}`]),
    ...warnings.map(({ detail }) => `Warning: ${detail}`),
  ].join('\n');
}

function recall(metrics: Evaluation | null): string {
  return metrics === null ? '' : metrics['recall@20'].value.toFixed(3);
}

function describeVersions(versions: readonly ModelVersion[]): string {
  if (versions.length === 0) return 'The model has no versions: no training has completed.';
  return formatTable('Versions', ['version', 'serves', 'created', 'recall@20'], versions.map(({ version, serving, created_at: at, metrics }) => [version, serving ? 'yes' : '', at, recall(metrics)]));
}
