import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { createJobQueue } from '@vouch/platform/jobs/queue';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform } from '@vouch/platform/product/product';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import type { FastifyInstance } from 'fastify';
import { recordAnswers } from '../answers/answerRecorder.ts';
import { findNewestBatch } from '../batches/batchStore.ts';
import { writeModel } from '../engine/writeModel.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { storeMarks } from '../models/modelStore.ts';
import { publishVersion } from '../models/versions/publishVersion.ts';
import type { ExperimentAnswers } from '../recommendations/experimentAnswers.ts';
import { explainRoute } from '../recommendations/explain.route.ts';
import { recommendRoute } from '../recommendations/recommend.route.ts';
import { relatedItemsRoute } from '../recommendations/relatedItems.route.ts';
import { startServing } from '../recommendations/serving.ts';
import { trendingItemsRoute } from '../recommendations/trendingItems.route.ts';
import { followRules } from '../rules/inForce/ruleBook.ts';
import { previewRoute } from '../rules/preview.route.ts';
import { ruleRoutes } from '../rules/rules.route.ts';
import { filmData, trainOn } from './filmData.ts';

/** An answer of a server, with the members that tests read. */
export interface RuleReply<Body> {
  status: number;
  body: Body;
}

type ExperimentsOf = (server: FastifyInstance, platform: Platform, serving: ReturnType<typeof startServing>) => ExperimentAnswers | null;

interface Server {
  at: TestServer;
  stop(): Promise<void>;
}

/**
 * Servers of one installation, each with its own memory, over a real database: the routes of lists and rules. The clock is the test's. For the
 * organization `acme`, `publish` makes a model of 100 films by genre, with 60 users who have a budget of 50.
 */
export class RuleServers {
  readonly database: TestDatabase;
  now = Date.parse('2026-03-02T12:00:00Z');
  private readonly folder: string;
  readonly platform: Platform;
  private readonly servers: Server[] = [];

  private constructor(database: TestDatabase, folder: string) {
    this.database = database;
    this.folder = folder;
    const blobs = createFolderBlobs(join(folder, 'blobs'), systemInterfaces);
    const clock = { ...systemInterfaces.clock, now: () => this.now };
    // Lists and rules use no other part of the platform.
    this.platform = { ...systemInterfaces, scratch: folder, clock, database, blobs, jobs: createJobQueue(database, systemInterfaces), log: createLogger('silent') } as unknown as Platform;
  }

  /** @param experimentsOf adds routes to a server, and answers for experiments */
  static async start(count: number, experimentsOf: ExperimentsOf = () => null): Promise<RuleServers> {
    const database = await openTestDatabase({ migrations: [{ product: 'recommender', folder: new URL('../migrations/', import.meta.url) }] });
    const servers = new RuleServers(database, await mkdtemp(join(tmpdir(), 'vouch-rules-')));
    for (let each = 0; each < count; each += 1) servers.servers.push(await startOne(database, servers.platform, experimentsOf));
    return servers;
  }

  async close(): Promise<void> {
    for (const server of this.servers) await server.stop();
    await this.database.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Trains and publishes a version of a model of `acme`. @param columnsOf metadata of a film */
  async publish(modelId: string, columnsOf: (film: number) => object = shopColumns): Promise<void> {
    const data = filmData(100, 60, 3);
    const time = Float64Array.from(data.pairs.time, (_, pair) => 1e12 + pair * 1e7);
    const metadata = data.nodes.ids.map((_, node) => JSON.stringify(node < 100 ? columnsOf(node) : { budget: 50 }));
    const path = join(this.folder, randomUUID());
    await writeModel(trainOn({ ...data, nodes: { ...data.nodes, metadata }, pairs: { ...data.pairs, time } }), path);
    const { name: blob } = await this.platform.blobs.putFile(path);
    const jobId = randomUUID();
    const parameters = { setting: 'default' as const, seed: 1, data_tags: [], maximum_interaction_age_days: null };
    await this.database.query('INSERT INTO trainings (job_id, organization_id, model_id, parameters) VALUES ($1, $2, $3, $4)', [jobId, 'acme', modelId, JSON.stringify(parameters)]);
    await storeMarks(this.database, jobId, { eventsThrough: 0, batchesThrough: await findNewestBatch(this.database, 'acme') });
    await this.database.query('INSERT INTO models VALUES ($1, $2, $3) ON CONFLICT (organization_id, model_id) DO UPDATE SET latest_training = excluded.latest_training', ['acme', modelId, jobId]);
    const facts = { interactions: { with_timestamp: 0, types: 1, by_type: { view: data.pairs.count } } } as unknown as Parameters<typeof publishVersion>[2]['data'];
    await this.database.transaction((transaction) => publishVersion(transaction, 'acme', { jobId, modelId, blob, parameters, metrics: null, data: facts }, 3));
  }

  /** Calls a route of /v1/recommender with a key of `acme` that may do everything with models. A body is sent as JSON unless it is a form. */
  async call<Body>(method: string, path: string, body?: object, { server = 0, organization = 'acme' } = {}): Promise<RuleReply<Body>> {
    const isJson = body !== undefined && !(body instanceof FormData);
    const answer = await fetch(`${this.servers[server]?.at.url}/v1/recommender/${path}`, {
      method, headers: { apikey: `${organization}:model:read,model:train,recommend:read,data:read,data:write`, ...(isJson ? { 'content-type': 'application/json' } : {}) },
      body: body === undefined ? null : isJson ? JSON.stringify(body) : body,
    });
    const text = await answer.text();
    return { status: answer.status, body: (answer.headers.get('content-type')?.includes('csv') === true ? text : JSON.parse(text)) as Body };
  }
}

const shopColumns = (film: number): object => ({ genre: `genre ${film % 4}`, price: film, maker: `maker ${film % 5}` });

async function startOne(database: TestDatabase, platform: Platform, experimentsOf: ExperimentsOf): Promise<Server> {
  const serving = startServing(platform, 1_000);
  const following = [followRules(platform, serving.book), recordAnswers(platform, serving.answers)];
  const at = await startTestServer(database, {
    errors: [recommenderErrors],
    routes: [(server) => {
      ruleRoutes(server, platform, serving);
      previewRoute(server, platform, serving);
      const experiments = experimentsOf(server, platform, serving);
      for (const route of [relatedItemsRoute, trendingItemsRoute, recommendRoute, explainRoute]) route(server, platform, serving, experiments);
    }],
  });
  return {
    at,
    async stop() {
      await at.server.close();
      await Promise.all(following.map((each) => each.stop()));
      await serving.close();
    },
  };
}
