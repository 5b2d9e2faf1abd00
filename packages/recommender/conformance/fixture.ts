import { type Reply, expectStatus } from '@vouch/platform/conformance/client';
import type { ConformanceContext, ConformanceRow } from '@vouch/platform/product/product';
import { Client, type Batch, type Training } from './client.ts';
import { entitiesCsv, entityHeader, interactionHeader, interactionsCsv } from './sampleData.ts';

/** What the rows share: the sample data, uploaded and trained once per run. */
export interface Fixture {
  context: ConformanceContext;
  client: Client;
  /** Records of the entity batch (tags films, catalogue) and of the interaction batch (tags films, views). */
  entities: Batch;
  interactions: Batch;
  modelId: string;
  /** What the request that started the training answered. */
  started: Reply;
  /** The record of the completed training. */
  trained: Training;
}

export const modelId = 'films';
/** Paths of the receiver for the training that completes and the one that fails. */
export const completedPath = '/completed';
export const failedPath = '/failed';
export const failingModelId = 'without-data';

const fixtures = new WeakMap<ConformanceContext, Promise<Fixture>>();

/** One row whose check works with the shared fixture. */
export function row(section: string, statement: string, check: (fixture: Fixture) => Promise<void>): ConformanceRow {
  return { section, statement, check: async (context) => check(await fixtureOf(context)) };
}

function fixtureOf(context: ConformanceContext): Promise<Fixture> {
  const made = fixtures.get(context) ?? makeFixture(context);
  fixtures.set(context, made);
  return made;
}

async function makeFixture(context: ConformanceContext): Promise<Fixture> {
  const client = new Client(context.baseUrl, context.apiKey);
  const [entities] = await client.upload([entitiesCsv()], ['films', 'catalogue']);
  const [interactions] = await client.upload([interactionsCsv()], ['films', 'views']);
  if (entities === undefined || interactions === undefined) throw new Error('an upload answered without a record');
  const callback = (path: string): string => context.receiver.url + path;
  await client.begin({ model_id: failingModelId, data_tags: ['no-such-tag'], callback_url: callback(failedPath) });
  const started = await client.tryTrain({ model_id: modelId, data_tags: 'films', callback_url: callback(completedPath) });
  expectStatus(started, 202);
  const trained = await client.untilStatus(modelId);
  if (trained.status !== 'completed') throw new Error(`the sample data cannot be trained: ${JSON.stringify(trained.error)}`);
  return { context, client, entities, interactions, modelId, started, trained };
}


/** CSV of entities with these ids, all of one type. */
export function smallEntities(...ids: string[]): string {
  return `${entityHeader}\n${ids.map((id) => `${id},thing,,,`).join('\n')}\n`;
}

/** CSV of interactions: pairs of source and target, each with a timestamp or none. */
export function smallInteractions(...pairs: (readonly [source: string, target: string, timestamp?: string])[]): string {
  return `${interactionHeader}\n${pairs.map(([source, target, time = '']) => `view,${source},${target},${time},`).join('\n')}\n`;
}
