// One flow with the client of @hey-api/openapi-ts. scripts/testTypescriptClients.sh compiles and runs this file beside the folder hey.
import { readFile } from 'node:fs/promises';
import { createSummarization, getGatewayInfo, getMessage, getRun, getTraining, recommend, relatedItems, setRewardClaimer, startTraining, uploadBatches } from './hey';
import type { ClaimerRequest } from './hey';
import { client } from './hey/client.gen';

interface Flow {
  entities: string;
  interactions: string;
  media_url: string;
  message: ClaimerRequest;
}

const flow: Flow = JSON.parse(await readFile(process.env['FLOW'] ?? '', 'utf8'));
client.setConfig({ baseUrl: process.env['VOUCH_URL'] ?? '', auth: () => process.env['VOUCH_API_KEY'] });
const later = (): Promise<void> => new Promise((resolve) => { setTimeout(resolve, 200); });

async function finish<Status extends { status: string; error: unknown }>(ask: () => Promise<Status>): Promise<Status> {
  for (;;) {
    const record = await ask();
    if (record.status === 'completed') return record;
    if (record.status === 'error' || record.status === 'cancelled') throw new Error(JSON.stringify(record.error));
    await later();
  }
}

const { data: batches } = await uploadBatches({ body: { files: [new Blob([flow.entities]), new Blob([flow.interactions])], tags: ['hey'] }, throwOnError: true });
const { data: training } = await startTraining({ body: { model_id: 'hey-api', data_tags: ['hey'] }, throwOnError: true });
const { serving_version: version } = await finish(async () => (await getTraining({ path: { model_id: training.model_id }, throwOnError: true })).data);
const { data: related } = await relatedItems({ query: { model_id: training.model_id, entity_id: 'scifi-1', output_format: 'json', max_recommendations: 3 }, throwOnError: true });
const { data: session } = await recommend({ body: { model_id: training.model_id, history: [{ id: 'scifi-1' }] }, throwOnError: true });
const { error: unknown } = await getTraining({ path: { model_id: 'nobody-has-it' } });

const { data: run } = await createSummarization({ body: { media_url: flow.media_url, options: { duration: 2, outputs: ['mp4'] } }, throwOnError: true });
const { outputs } = await finish(async () => (await getRun({ path: { run_id: run.run_id }, throwOnError: true })).data);

const { data: { domain } } = await getGatewayInfo({ throwOnError: true });
const headers = { Origin: 'https://operator.example', 'User-Agent': 'hey-api', 'x-app-id': 'flow' };
const { data: accepted } = await setRewardClaimer({ headers, body: flow.message, throwOnError: true });
const path = { request_id: accepted.data?.request_id ?? '' };
let { data: message } = await getMessage({ path, throwOnError: true });
for (; message.status !== 'confirmed'; { data: message } = await getMessage({ path, throwOnError: true })) {
  if (message.status === 'failed' || message.status === 'expired') throw new Error(JSON.stringify(message));
  await later();
}

const found = {
  batches: batches.length, version, related: typeof related === 'string' ? 0 : related.recommendations.length, session: session.recommendations.length > 0, unknown: unknown?.code,
  outputs: outputs.map(({ kind }) => kind), domain: domain.name !== '', message: message.status,
};
console.log(`@hey-api/openapi-ts: ${JSON.stringify(found)}`);
if (JSON.stringify(found) !== '{"batches":2,"version":1,"related":3,"session":true,"unknown":"unknown-model","outputs":["mp4"],"domain":true,"message":"confirmed"}') process.exit(1);
