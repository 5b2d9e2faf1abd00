// One flow with openapi-fetch on the types of openapi-typescript. scripts/testTypescriptClients.sh compiles and runs this file beside schema.d.ts.
import { readFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

interface Flow {
  entities: string;
  interactions: string;
  media_url: string;
  message: components['schemas']['ClaimerRequest'];
}

const flow: Flow = JSON.parse(await readFile(process.env['FLOW'] ?? '', 'utf8'));
const client = createClient<paths>({ baseUrl: process.env['VOUCH_URL'] ?? '', headers: { apikey: process.env['VOUCH_API_KEY'] ?? '' } });
const later = (): Promise<void> => new Promise((resolve) => { setTimeout(resolve, 200); });

/** The data of an answer. @throws Error with the problem */
function dataOf<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function finish<Status extends { status: string; error: unknown }>(ask: () => Promise<Status>): Promise<Status> {
  for (;;) {
    const record = await ask();
    if (record.status === 'completed') return record;
    if (record.status === 'error' || record.status === 'cancelled') throw new Error(JSON.stringify(record.error));
    await later();
  }
}

const batches = dataOf(await client.POST('/v1/recommender/data_batch', {
  body: { files: [flow.entities, flow.interactions], tags: ['fetch'] },
  bodySerializer({ files, tags = [] }) {
    const form = new FormData();
    for (const tag of [tags].flat()) form.append('tags', tag);
    for (const [number, text] of files.entries()) form.append('files', new Blob([text]), `file-${number}.csv`);
    return form;
  },
}));
const training = dataOf(await client.POST('/v1/recommender/train', { body: { model_id: 'openapi-fetch', data_tags: ['fetch'] } }));
const { serving_version: version } = await finish(async () => dataOf(await client.GET('/v1/recommender/{model_id}/status', { params: { path: { model_id: training.model_id } } })));
const query = { model_id: training.model_id, entity_id: 'scifi-1', output_format: 'json', max_recommendations: 3 } as const;
const related = dataOf(await client.GET('/v1/recommender/related_items', { params: { query } }));
const session = dataOf(await client.POST('/v1/recommender/recommend', { body: { model_id: training.model_id, history: [{ id: 'scifi-1' }] } }));
const unknown = await client.GET('/v1/recommender/{model_id}/status', { params: { path: { model_id: 'nobody-has-it' } } });

const run = dataOf(await client.POST('/v1video-summarization/create', { body: { media_url: flow.media_url, options: { duration: 2, outputs: ['mp4'] } } }));
const { outputs } = await finish(async () => dataOf(await client.GET('/v1/status/{run_id}', { params: { path: { run_id: run.run_id } } })));

const { domain } = dataOf(await client.GET('/gateway/info'));
const accepted = dataOf(await client.POST('/explorer_alphanet/send_tx_set_reward_claimer', {
  params: { header: { Origin: 'https://operator.example', 'User-Agent': 'openapi-fetch', 'x-app-id': 'flow' } }, body: flow.message,
}));
const path = { request_id: accepted.data?.request_id ?? '' };
let message = dataOf(await client.GET('/gateway/requests/{request_id}', { params: { path } }));
for (; message.status !== 'confirmed'; message = dataOf(await client.GET('/gateway/requests/{request_id}', { params: { path } }))) {
  if (message.status === 'failed' || message.status === 'expired') throw new Error(JSON.stringify(message));
  await later();
}

const found = {
  batches: batches.length, version, related: typeof related === 'string' ? 0 : related.recommendations.length, session: session.recommendations.length > 0, unknown: unknown.error?.code,
  outputs: outputs.map(({ kind }) => kind), domain: domain.name !== '', message: message.status,
};
console.log(`openapi-fetch: ${JSON.stringify(found)}`);
if (JSON.stringify(found) !== '{"batches":2,"version":1,"related":3,"session":true,"unknown":"unknown-model","outputs":["mp4"],"domain":true,"message":"confirmed"}') process.exit(1);
