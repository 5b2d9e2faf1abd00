/**
 * Measures the resident memory of a process that serves a generated model of many items with 100 neighbours each.
 *   node --import tsx bench/recommender/servingMemory.ts write <file> [items]
 *   node --import tsx bench/recommender/servingMemory.ts answer <file>
 */
import { readFileSync } from 'node:fs';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { transpose } from '../../packages/recommender/engine/matrix/transpose.ts';
import { openModel } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { writeModel } from '../../packages/recommender/engine/writeModel.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import { noTransitions } from '../../packages/recommender/engine/time/transitionRows.ts';
import { printTable } from './rankings.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';

const [task, file, size] = process.argv.slice(2);
if (file === undefined || (task !== 'write' && task !== 'answer')) throw new Error('usage: servingMemory.ts write|answer <file> [items]');
const neighbours = 100;
const rank = 64;

/** Generates a tenth as many users as items, with ten items each. Neighbours are items with close numbers. */
function generate(items: number): TrainedModel {
  const random = createRandom(1);
  const users = items / 10;
  const rows = (count: number, length: number): Float64Array => Float64Array.from({ length: count + 1 }, (_, row) => row * length);
  const list = () => ({
    pointer: rows(items, neighbours),
    index: Int32Array.from({ length: items * neighbours }, (_, place) => (Math.floor(place / neighbours) + 1 + 7 * (place % neighbours)) % items),
    value: Float32Array.from({ length: items * neighbours }, (_, place) => 1 / (1 + (place % neighbours))),
    score: Float32Array.from({ length: items * neighbours }, (_, place) => 1 / (1 + (place % neighbours))),
  });
  const history = { pointer: rows(users, 10), index: Int32Array.from({ length: users * 10 }, () => random.below(items)), time: new Float64Array(users * 10).fill(Number.NaN) };
  const ids = Array.from({ length: items + users }, (_, node) => `${node < items ? 'item' : 'user'}-${String(node).padStart(9, '0')}`);
  const numbers = (from: number, count: number): Int32Array => Int32Array.from(ids, (_, node) => (node >= from && node < from + count ? node - from : -1));
  return {
    setting: defaultSetting, seed: 1, types: [], targetTypes: Int32Array.of(-1),
    nodes: { count: ids.length, ids, type: new Int32Array(ids.length).fill(-1), names: ids.map((id) => `Name of ${id}`), mediaUrls: ids.map(() => ''), metadata: ids.map(() => '') },
    itemNode: Int32Array.from({ length: items }, (_, item) => item), nodeItem: numbers(0, items),
    userNode: Int32Array.from({ length: users }, (_, user) => items + user), nodeUser: numbers(items, users),
    history, audience: transpose(history, items), historyCap: 500,
    operator: list(), related: list(), transitions: noTransitions(items),
    rank, vectors: Float32Array.from({ length: items * rank }, () => random.uniform() - 0.5), eigenvalues: new Float64Array(rank).fill(0.5),
    blended: false, embedding: new Float32Array(0), contentWeight: new Float32Array(items),
    attributes: {
      pointer: new Float64Array(items + 1), index: new Int32Array(0), value: new Float32Array(0), field: [], text: [], lift: new Float32Array(0), isCategory: new Uint8Array(0),
    },
    ridge: new Float32Array(0), largestEigenvalue: 1, relatedDivisor: new Float32Array(items).fill(1), trend: new Float32Array(items).fill(0.5),
    rising: new Uint8Array(items), newest: Number.NaN, evaluation: null,
  };
}

const resident = (name: 'VmRSS' | 'VmHWM'): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;

if (task === 'write') {
  await writeModel(generate(Number(size ?? 1_000_000)), file);
} else {
  const empty = resident('VmRSS');
  const model = await openModel(file);
  const recommender = new Recommender(model);
  const opened = resident('VmRSS');
  const random = createRandom(3);
  const all = { limit: 100, threshold: 0, types: null };
  let entries = 0;
  const start = performance.now();
  const queries = 50_000;
  for (let query = 0; query < queries; query++) entries += recommender.recommend(random.below(model.facts.nodes), all).count;
  const microseconds = (1000 * (performance.now() - start)) / queries;
  printTable(
    ['items', 'users', 'MB before', 'MB opened', 'MB after 50,000 answers', 'peak MB', 'µs an answer', 'entries an answer'],
    [[
      String(model.facts.items), String(model.facts.users), empty.toFixed(0), opened.toFixed(0), resident('VmRSS').toFixed(0), resident('VmHWM').toFixed(0),
      microseconds.toFixed(0), (entries / queries).toFixed(0),
    ]],
  );
}
