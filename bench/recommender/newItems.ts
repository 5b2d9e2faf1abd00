/**
 * Items that arrive after the training, on MovieLens latest-small: a tenth of the films (with at least 5 ratings) and their ratings are hidden from the
 * training, and the films are then sent as entities. Quality: for each user with ratings of hidden films, recall@20 of these films among
 * all hidden films, in the order of the user's list; for each hidden film, the share of the first 20 related items of the full training
 * that are among the first 20 of the sent film. Beside: random order, and popularity (of the hidden films: in the hidden ratings, which nobody
 * knows at that time). Cost: median time of a list with and without the sent films, alternating, in one process.
 *   node --import tsx bench/recommender/newItems.ts <folder of ml-latest-small>
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { openModel, type ModelReader } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { NewItems } from '../../packages/recommender/engine/newItems/newItems.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import { writeModel } from '../../packages/recommender/engine/writeModel.ts';
import { train } from '../../packages/recommender/testing/train.ts';
import { mean, printTable, recall } from './rankings.ts';
import { readMovieLens, toTrainingData, type Entity, type Pair } from './readData.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: newItems.ts <folder of ml-latest-small>');
const { entities, pairs } = readMovieLens(folder);
const counts = new Map<string, number>();
for (const { target } of pairs) counts.set(target, (counts.get(target) ?? 0) + 1);
const eligible = [...counts].filter(([, count]) => count >= 5).map(([id]) => id).sort();
const hidden = new Set(eligible.filter((_, place) => place % 10 === 3));
const scratch = await mkdtemp(join(tmpdir(), 'new-items-'));

async function modelOf(name: string, given: readonly Entity[], kept: readonly Pair[]): Promise<ModelReader> {
  const path = join(scratch, name);
  await writeModel(train(toTrainingData(given, kept), { setting: defaultSetting, seed: 1 }, () => undefined), path);
  return openModel(path);
}

const idsOf = (model: ModelReader, { item, count }: { item: Int32Array; count: number }): string[] => Array.from(item.subarray(0, count), (each) => model.ids.get(model.itemNode[each] ?? 0));
const options = (limit: number) => ({ types: null, limit, threshold: 0 });
const listed = (recommender: Recommender, id: string, limit: number): string[] => {
  const { model } = recommender;
  return idsOf(model, recommender.recommend(model.findNode(id), options(limit)));
};

const full = await modelOf('full', entities, pairs);
const trained = await modelOf('trained', entities.filter(({ id }) => !hidden.has(id)), pairs.filter(({ target }) => !hidden.has(target)));
const started = process.cpuUsage();
const added = new NewItems(trained, 2000);
const sent = entities.filter(({ id }) => hidden.has(id));
const opened = process.cpuUsage(started);
for (const { id, name, metadata } of sent) added.add({ id, type: trained.facts.types.indexOf('film') < 0 ? (trained.facts.targetTypes[0] ?? -1) : trained.facts.types.indexOf('film'), name, mediaUrl: '', metadata });
const placed = process.cpuUsage(started);
const placedCount = sent.filter(({ id }) => added.model.findNode(id) >= 0).length;
console.log(`${sent.length} films sent, ${placedCount} placed; ${((placed.user - opened.user) / 1000 / sent.length).toFixed(2)} ms each, after ${(opened.user / 1000).toFixed(0)} ms once`);

const fresh = new Recommender(added.model);
const random = createRandom(1);
const shuffled = (): string[] => [...hidden].map((id) => ({ id, key: random.uniform() })).sort((a, b) => a.key - b.key).map(({ id }) => id);
const byPopularity = [...hidden].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));

const wanted = new Map<string, Set<string>>();
for (const { source, target } of pairs) if (hidden.has(target)) wanted.set(source, (wanted.get(source) ?? new Set()).add(target));
const ofUsers: Record<string, number[]> = { 'sent films, by metadata': [], random: [], 'popularity (unknown at that time)': [] };
let inTwenty = 0;
let inHundred = 0;
const note = (name: string, value: number): void => void ofUsers[name]?.push(value);
// Numbers instead of ids, as `recall` needs.
const numberOf = new Map([...hidden].map((id, number) => [id, number]));
const numbers = (ids: Iterable<string>): number[] => [...ids].map((id) => numberOf.get(id) ?? -1);
for (const [user, films] of wanted) {
  if (trained.findNode(user) < 0) continue;
  const own = new Set(numbers(films));
  const list = listed(fresh, user, full.facts.items);
  note('sent films, by metadata', recall(numbers(list.filter((id) => hidden.has(id)).slice(0, 20)), own));
  note('random', recall(numbers(shuffled().slice(0, 20)), own));
  note('popularity (unknown at that time)', recall(numbers(byPopularity.slice(0, 20)), own));
  inTwenty += list.slice(0, 20).filter((id) => hidden.has(id)).length;
  inHundred += list.slice(0, 100).filter((id) => hidden.has(id)).length;
}
printTable([`recall@20 of ${hidden.size} hidden films, ${ofUsers['random']?.length} users`, 'value'], Object.entries(ofUsers).map(([name, values]) => [name, mean(values).toFixed(4)]));
console.log(`sent films among the first 20 of a user: ${(inTwenty / wanted.size).toFixed(2)}, among the first 100: ${(inHundred / wanted.size).toFixed(2)}`);

const fullLists = new Recommender(full);
const popular = [...counts].filter(([id]) => !hidden.has(id)).sort((a, b) => b[1] - a[1]).slice(0, 20).map(([id]) => id);
const ofItems: Record<string, number[]> = { 'sent films, by metadata': [], random: [], popularity: [] };
const known = [...counts.keys()].filter((id) => !hidden.has(id)).sort();
let lists = 0;
for (const id of hidden) {
  const truth = new Set(listed(fullLists, id, 200).filter((other) => !hidden.has(other)).slice(0, 20));
  if (truth.size === 0 || added.model.findNode(id) < 0) continue;
  const overlap = (ids: readonly string[]): number => ids.filter((other) => truth.has(other)).length / truth.size;
  ofItems['sent films, by metadata']?.push(overlap(listed(fresh, id, 200).filter((other) => !hidden.has(other)).slice(0, 20)));
  ofItems['random']?.push(overlap(Array.from({ length: 20 }, () => known[Math.floor(random.uniform() * known.length)] ?? '')));
  ofItems['popularity']?.push(overlap(popular));
}
for (const id of known) if (listed(fresh, id, 100).some((other) => hidden.has(other))) lists += 1;
printTable(['share of the first 20 of the full training', 'value'], Object.entries(ofItems).map(([name, values]) => [name, mean(values).toFixed(4)]));
console.log(`lists of known films that contain a sent film among their first 100: ${lists} of ${known.length}`);

const before = new Recommender(trained);
const users = [...wanted.keys()].filter((user) => trained.findNode(user) >= 0);
const sessions = users.map((user) => fresh.historyOf(trained.findNode(user))).map(({ items }) => ({ items: items.slice(-10), weights: items.slice(-10).map(() => 1), disliked: [], dislikes: [] }));
const cases: [string, (recommender: Recommender, at: number) => void][] = [
  ['related items of a known item', (recommender, at) => void recommender.recommend(trained.findNode(known[at % known.length] ?? ''), options(100))],
  ['a session of 10 items', (recommender, at) => void recommender.recommendFor(sessions[at % sessions.length] ?? { items: [], weights: [], disliked: [], dislikes: [] }, options(100))],
  ['a user whose list the model has', (recommender, at) => void recommender.recommend(trained.findNode(users[at % users.length] ?? ''), options(100))],
  ['the same, first request after a change', ({ model }, at) => void new Recommender(model).recommend(trained.findNode(users[at % users.length] ?? ''), options(100))],
];
const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
printTable([`processor time of a list, ${placedCount} sent items`, 'p50 with / without', 'µs'], cases.map(([name, ask]) => {
  const times: [number[], number[]] = [[], []];
  for (let at = 0; at < 6000; at += 1) {
    for (const [which, recommender] of [before, fresh].entries()) {
      const start = process.hrtime.bigint();
      ask(recommender, at >> 1);
      if (at > 1000) times[which]?.push(Number(process.hrtime.bigint() - start) / 1000);
    }
  }
  const [without, withItems] = [median(times[0]), median(times[1])];
  return [name, (withItems / without).toFixed(2), `${withItems.toFixed(0)} / ${without.toFixed(0)}`];
}));
await full.close();
await trained.close();
await rm(scratch, { recursive: true });
