/**
 * Compares the peak memory of a training process with the program's estimate before the training, through the service: on
 * MovieLens latest-small, and on the training set of Gowalla with and without generated attributes. Linux only.
 *   node --import tsx bench/recommender/trainingMemory.ts <ml-latest-small> <gowalla>
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, hasEnded, type Training } from '../../packages/recommender/conformance/client.ts';
import { estimateMemory } from '../../packages/recommender/engine/memory/estimateMemory.ts';
import { serveVouch } from '../harness/serveVouch.ts';
import { printTable } from './rankings.ts';
import { readMovieLens, toTrainingData, type Entity, type Pair } from './readData.ts';
import { readUserItems } from './readUserItems.ts';

const [movielens, gowalla] = process.argv.slice(2);
if (movielens === undefined || gowalla === undefined) throw new Error('usage: trainingMemory.ts <ml-latest-small> <gowalla>');

interface Data {
  entities: Entity[];
  pairs: Pair[];
}

async function gowallaPairs(folder: string): Promise<Pair[]> {
  const lists = await readUserItems(join(folder, 'train.txt'));
  return [...lists].flatMap(([user, items]) => items.map((item): Pair => ({ source: `user-${user}`, target: `place-${item}`, time: Number.NaN })));
}

/** Generates a name, four values and a text of twenty words for each item. */
function described(pairs: readonly Pair[]): Entity[] {
  return [...new Set(pairs.map(({ target }) => target))].map((id, at) => ({
    id, type: 'place', name: `The ${at % 499} of the ${at % 7919}`,
    metadata: JSON.stringify({
      year: 1950 + (at % 70), kinds: [`kind-${at % 17}`, `kind-${at % 23}`], owner: `owner-${at % 20_011}`,
      text: Array.from({ length: 20 }, (_, word) => `word${(at * 31 + word * word * 17) % 9973}`).join(' '),
    }),
  }));
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function csvOf({ entities, pairs }: Data): string[] {
  const rows = pairs.map(({ source, target, time }) => `view,${source},${target},${Number.isNaN(time) ? '' : new Date(time).toISOString()},`);
  const interactions = `type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`;
  if (entities.length === 0) return [interactions];
  const things = entities.map(({ id, type, name, metadata }) => `${id},${type},${quoted(name)},${quoted(metadata)},`);
  return [`id,type,name,metadata,media_url\n${things.join('\n')}\n`, interactions];
}

/** Returns the largest peak resident set of all training processes so far, in MB. */
function peakMb(): number {
  let most = 0;
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      if (!command.startsWith(process.execPath) || !command.includes('train.child')) continue;
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1] ?? 0) / 1024);
    } catch {
      // The process has ended since the listing.
    }
  }
  return most;
}

async function measure(client: Client, name: string, data: Data): Promise<string[]> {
  await client.upload(csvOf(data), [name]);
  await client.begin({ model_id: name, data_tags: name });
  const peaks = new Map<string, number>();
  for (;;) {
    const record = (await client.status(name)).json<Training>();
    if (hasEnded(record)) break;
    peaks.set(record.stage ?? '', Math.max(peaks.get(record.stage ?? '') ?? 0, peakMb()));
    await sleep(50);
  }
  const peak = Math.max(...peaks.values());
  const threads = data.pairs.length < 300_000 ? 1 : Math.min(8, availableParallelism());
  const estimated = estimateMemory(toTrainingData(data.entities, data.pairs), threads) / 2 ** 20;
  const byStage = ['arrays', 'factors', 'neighbours', 'evaluate'].map((stage) => (peaks.get(stage) ?? 0).toFixed(0));
  return [name, String(data.pairs.length), ...byStage, estimated.toFixed(0), (estimated / peak).toFixed(2)];
}

const vouch = await serveVouch();
try {
  const client = new Client(vouch.url, vouch.key);
  const rows = [await measure(client, 'movielens', readMovieLens(movielens))];
  const pairs = await gowallaPairs(gowalla);
  rows.push(await measure(client, 'gowalla', { entities: [], pairs }));
  rows.push(await measure(client, 'gowalla-described', { entities: described(pairs), pairs }));
  printTable(['data', 'interactions', 'MB so far: arrays', 'factors', 'lists', 'evaluation', 'estimated MB', 'estimated / peak'], rows);
} finally {
  await vouch.stop();
}
