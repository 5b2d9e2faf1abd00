import { type Reply, expectStatus } from '@vouch/platform/conformance/client';
import { keep, uniqueName, type ConformanceContext, type ConformanceRow } from '@vouch/platform/conformance/context';
import { Client, type Batch, type Training } from './client.ts';
import { entitiesCsv, entityHeader, interactionHeader, interactionsCsv } from './sampleData.ts';

/** Data shared by the rows. Each part is created at its first use, once per run. */
export interface Fixture {
  context: ConformanceContext;
  client: Client;
  /** Returns a unique name for a tag, model id or similar. */
  name(word: string): string;
  /** The sample data, uploaded at the first call. */
  sample(): Promise<Sample>;
  /** A trained model of the sample data. */
  model(): Promise<TrainedModel>;
  /** The record of a training that failed because it found no data. */
  failed(): Promise<Training>;
}

interface Sample {
  /** The tags of both batches: the shared tag, the tag of the entities, the tag of the interactions. */
  tags: { films: string; catalogue: string; views: string };
  entities: Batch;
  interactions: Batch;
}

interface TrainedModel {
  modelId: string;
  /** The answer to the request that started the training. */
  started: Reply;
  /** The record of the completed training. */
  trained: Training;
}

/** Paths of the callback receiver for the training that completes and for the training that fails. */
export const completedPath = '/training-completed';
export const failedPath = '/training-failed';

/** A conformance row whose check uses the shared fixture. */
export function row(statement: string, shows: string, check: (fixture: Fixture) => Promise<void>): ConformanceRow {
  return { statement, shows, check: (context) => check(fixtureOf(context)) };
}

function fixtureOf(context: ConformanceContext): Fixture {
  const client = new Client(context.baseUrl, context.apiKey, context.fetch);
  const name = (word: string): string => uniqueName(context, word);
  const sample = (): Promise<Sample> => keep(context, 'recommender sample', () => uploadSample(context, client));
  return {
    context, client, name, sample,
    model: () => keep(context, 'recommender model', async () => trainSample(context, client, await sample())),
    failed: () => keep(context, 'recommender failed training', () => trainNothing(context, client)),
  };
}

/** Creates the data shared by the rows. */
export async function prepareRecommender(context: ConformanceContext): Promise<void> {
  const { model, failed } = fixtureOf(context);
  await model();
  await failed();
}

async function uploadSample({ prefix }: ConformanceContext, client: Client): Promise<Sample> {
  const tags = { films: `${prefix}-films`, catalogue: `${prefix}-catalogue`, views: `${prefix}-views` };
  const [entities] = await client.upload([entitiesCsv()], [tags.films, tags.catalogue]);
  const [interactions] = await client.upload([interactionsCsv()], [tags.films, tags.views]);
  if (entities === undefined || interactions === undefined) throw new Error('an upload answered without a record');
  return { tags, entities, interactions };
}

async function trainSample(context: ConformanceContext, client: Client, { tags }: Sample): Promise<TrainedModel> {
  const modelId = `${context.prefix}-films`;
  const started = await client.tryTrain({ model_id: modelId, data_tags: tags.films, ...callbackAt(context, completedPath) });
  expectStatus(started, 202);
  const trained = await client.untilStatus(modelId);
  if (trained.status !== 'completed') throw new Error(`the sample data cannot be trained: ${JSON.stringify(trained.error)}`);
  return { modelId, started, trained };
}

async function trainNothing(context: ConformanceContext, client: Client): Promise<Training> {
  const { prefix } = context;
  return client.trainToEnd({ model_id: `${prefix}-nothing`, data_tags: [`${prefix}-no-such-tag`], ...callbackAt(context, failedPath) });
}

function callbackAt({ inHouse }: ConformanceContext, path: string): { callback_url?: string } {
  return inHouse === null ? {} : { callback_url: inHouse.receiver.url + path };
}

/** CSV of entities with these ids, all of one type. */
export function smallEntities(...ids: string[]): string {
  return `${entityHeader}\n${ids.map((id) => `${id},thing,,,`).join('\n')}\n`;
}

/** CSV of interactions: pairs of source and target, each with or without a timestamp. */
export function smallInteractions(...pairs: (readonly [source: string, target: string, timestamp?: string])[]): string {
  return `${interactionHeader}\n${pairs.map(([source, target, time = '']) => `view,${source},${target},${time},`).join('\n')}\n`;
}
