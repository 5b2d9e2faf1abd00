import { interleave, type RatioReport } from '../harness/interleave.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { serveVouch, vouchProgram, type ServedVouch } from '../harness/serveVouch.ts';
import { trainCatalogue, uploadCatalogue } from '../harness/uploadCatalogue.ts';
import { connectVouch } from '../harness/vouchClient.ts';
import { fetchSourceIds, fetchStream } from './fetchStream.ts';
import { runLoad } from './load.ts';

/** Compares the recommender of this checkout with that of another checkout, in turns on the same data: trainings with one fixed setting, lookups, and the list of all entities. */

const usage = 'usage: node --import tsx bench/serving/beside.ts --before <dist/vouch.js of another checkout> [--items 5000] [--users 20000] [--interactions 400000] [--rounds 5] [--seconds 5]';
const { values } = parseCommandLine({ options: {
  before: { type: 'string' }, items: { type: 'string', default: '5000' }, users: { type: 'string', default: '20000' }, interactions: { type: 'string', default: '400000' },
  rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' },
} }, usage);
if (values.before === undefined) stopCommand('--before is missing.', usage);
const before = values.before;
const shape = { items: Number(values.items), users: Number(values.users), interactions: Number(values.interactions), seed: 1 };
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
/** A choice of the setting would differ between versions; a fixed setting is the same work. The short names are those that every version reads. */
const training = { parameters: { setting: { pu: -0.5, pa: -0.5, pb: -0.5, T: 1, b: 2 } } };
const modelId = 'beside';

interface Side {
  vouch: ServedVouch;
  train(): Promise<void>;
}

async function start(program: string): Promise<Side> {
  const vouch = await serveVouch({ program, environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn', VOUCH_TRAIN_NICENESS: '0' } });
  const client = connectVouch(vouch.url, vouch.key);
  await uploadCatalogue(client, shape);
  return { vouch, train: () => trainCatalogue(client, modelId, training) };
}

const ours = await start(vouchProgram);
const theirs = await start(before).catch(async (error: unknown) => {
  await ours.vouch.stop();
  throw error;
});
try {
  const compare = (what: string, measure: (side: Side) => Promise<number | void>, warmup = 1): Promise<RatioReport> => interleave({
    ours: () => measure(ours), theirs: () => measure(theirs), rounds, warmup, onRound: (round, ratio) => console.error(`${what}, round ${round}: ${ratio.toFixed(2)}`),
  });
  const trainings = await compare('training', (side) => side.train());
  const ids = await fetchSourceIds(ours.vouch.url, ours.vouch.key, modelId);
  const items = await fetchSourceIds(ours.vouch.url, ours.vouch.key, modelId, 'item');
  const isItem = new Set(items);
  const users = ids.filter((id) => !isItem.has(id));
  let seed = 1;
  const lookups = (of: readonly string[]) => async ({ vouch: { url, key } }: Side) => (await runLoad({ url, key, modelId, ids: of, seconds, seed: seed++ })).requestsPerSecond;
  const byItem = await compare('items', lookups(items));
  const byUser = await compare('users', lookups(users));
  const all = await compare('all entities', async ({ vouch: { url, key } }) => {
    const { bytes, seconds: took } = await fetchStream(`${url}/v1/recommender/related_items?model_id=${modelId}`, key);
    return bytes / took;
  });
  await reportTable({
    name: 'beside',
    title: 'The recommender beside another checkout',
    command: `node --import tsx bench/serving/beside.ts ${process.argv.slice(2).map((word) => (word === before ? '<dist/vouch.js of another checkout>' : word)).join(' ')}`,
    data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions, seed ${shape.seed}`,
    columns: ['what', 'this checkout', 'the other', 'this / the other'],
    rows: [
      ['seconds of a training with a fixed setting', (trainings.ours / 1_000).toFixed(1), (trainings.theirs / 1_000).toFixed(1), formatRatio(trainings)],
      ['lists of items, requests/s', byItem.ours.toFixed(0), byItem.theirs.toFixed(0), formatRatio(byItem)],
      ['lists of users, requests/s', byUser.ours.toFixed(0), byUser.theirs.toFixed(0), formatRatio(byUser)],
      ['the lists of all entities as CSV, MB/s', (all.ours / 1e6).toFixed(1), (all.theirs / 1e6).toFixed(1), formatRatio(all)],
    ],
    notes: ['Medians over the rounds, in turns, both servers running. Only the ratios carry over to other machines.'],
  });
} finally {
  await ours.vouch.stop();
  await theirs.vouch.stop();
}
