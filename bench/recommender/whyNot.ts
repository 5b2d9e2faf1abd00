/**
 * "Why not" on MovieLens latest-small: 10,000 random pairs with random filters, types, thresholds and limits, among them known and unknown ids, seen, rejected,
 * deleted and newly sent films, new visitors and trending items. Each explanation is compared with the served list and with the ratings: an item that is listed has the
 * explained rank and score; an absent item has at least one cause, each cause is true, and without all causes the list has the item at the explained rank.
 *   node --import tsx bench/recommender/whyNot.ts <folder of ml-latest-small>
 */
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import type { TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import { RecentEvents } from '../../packages/recommender/events/recentEvents.ts';
import { causes } from '../../packages/recommender/recommendations/explanation/cause.ts';
import { LiveModel } from '../../packages/recommender/recommendations/liveModel.ts';
import { yieldToOthers } from '../../packages/recommender/recommendations/yieldToOthers.ts';
import { checkExplanation } from '../../packages/recommender/testing/checkExplanation.ts';
import type { ExplainedShop } from '../../packages/recommender/testing/explainedShop.ts';
import { train } from '../../packages/recommender/testing/train.ts';
import { withModel } from '../../packages/recommender/testing/withModel.ts';
import { reportTable } from '../harness/reportTable.ts';
import { readMovieLens, toTrainingData, type Pair } from './readData.ts';

const pairsAsked = 10_000;
const shownFaults = 20;
const clauses = ['item.year >= 1990', '!("Horror" in item.genres)', '"Drama" in item.genres', 'item.title_length < user.patience', '(item.year < 1980 || item.title_length > 20)'];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: whyNot.ts <folder of ml-latest-small>');
const random = createRandom(1);
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random.uniform() * values.length)] as Value;

const { entities, pairs } = readMovieLens(folder);
const liked = pairs.filter(({ rating = 5 }) => rating > 2);
const rejected = pairs.filter(({ rating = 5 }) => rating <= 2);
const users = [...new Set(pairs.map(({ source }) => source))];
const data = dataOf();

function dataOf(): TrainingData {
  const films = entities.map((film) => ({ ...film, metadata: JSON.stringify({ ...(JSON.parse(film.metadata) as object), title_length: film.name.length, ...yearOf(film.name) }) }));
  const people = users.map((id, at) => ({ id, type: 'user', name: '', metadata: at % 3 === 0 ? '' : JSON.stringify({ patience: 10 + (at % 40) }) }));
  const found = toTrainingData([...films, ...people], liked);
  const node = new Map(found.nodes.ids.map((id, number) => [id, number]));
  const numbers = (field: 'source' | 'target'): Int32Array => Int32Array.from(rejected, (pair) => node.get(pair[field]) ?? -1);
  return { ...found, dislikes: { count: rejected.length, source: numbers('source'), target: numbers('target'), weight: new Float32Array(rejected.length).fill(-1) } };
}

function yearOf(name: string): { year?: number } {
  const year = /\((\d{4})\)/.exec(name)?.[1];
  return year === undefined ? {} : { year: Number(year) };
}

function grouped(rows: readonly Pair[], key: 'source' | 'target'): Map<string, Set<string>> {
  const sets = new Map<string, Set<string>>();
  for (const row of rows) sets.set(row[key], (sets.get(row[key]) ?? new Set()).add(row[key === 'source' ? 'target' : 'source']));
  return sets;
}

await withModel(train(data, { setting: { ...defaultSetting, recency: true, transitions: 0.3 }, seed: 1 }, () => undefined), async (reader) => {
  const recent = new RecentEvents();
  const live = new LiveModel(reader, recent.of('o'), { eventsThrough: 0, batchesThrough: 0, dataTags: [], maximumAgeMs: null, weights: {}, filter: null });
  const films = entities.map(({ id }) => id);
  const likedBy = grouped(liked, 'source');
  const hidden = new Set<string>();
  let sequence = 0;
  const base = { afterBatch: 0, organizationId: 'o', tags: [], type: 'film', happenedAt: null, receivedAt: 2e12, name: null, mediaUrl: null, sourceId: null, metadata: null };
  for (const id of films.filter((_, at) => at % 40 === 7)) {
    hidden.add(id);
    recent.add({ ...base, sequence: sequence += 1, kind: 'deletion', targetId: id, available: false });
  }
  const sent = Array.from({ length: 50 }, (_, at) => `sent-${at}`);
  for (const [at, id] of sent.entries()) recent.add({ ...base, sequence: sequence += 1, kind: 'entity', targetId: id, available: true, metadata: JSON.stringify({ genres: [pick(['Drama', 'Comedy', 'Horror', 'Action'])], year: 2016, title_length: at }) });
  while (sent.some((id) => live.current().model.findNode(id) < 0)) await yieldToOthers();
  const visitors = Array.from({ length: 50 }, (_, at) => `visitor-${at}`);
  for (const sourceId of visitors) {
    for (let view = 0; view < 3; view += 1) {
      const targetId = pick(films);
      likedBy.set(sourceId, (likedBy.get(sourceId) ?? new Set()).add(targetId));
      recent.add({ ...base, sequence: sequence += 1, kind: 'interaction', type: 'view', sourceId, targetId, happenedAt: 2e12 + sequence, available: null });
    }
  }
  const shop: ExplainedShop = {
    recommender: live.current(), data, liked: likedBy, disliked: grouped(rejected, 'source'), hidden, audience: grouped(liked, 'target'), ids: [...data.nodes.ids, ...sent], films, sources: [...likedBy.keys()],
  };
  const counts = new Map<string, number>();
  const faults: string[] = [];
  for (let pair = 0; pair < pairsAsked; pair += 1) {
    const query = draw(shop, sent, visitors);
    try {
      for (const code of await checkExplanation(shop, query)) counts.set(code, (counts.get(code) ?? 0) + 1);
    } catch (error) {
      faults.push((error as Error).message);
    }
    if (pair % 1_000 === 999) console.error(`${pair + 1} pairs, ${faults.length} without a true explanation`);
  }
  for (const fault of faults.slice(0, shownFaults)) console.error(fault);
  await reportTable({
    name: 'why-not', title: 'Why an item is not in a list', command: 'node --import tsx bench/recommender/whyNot.ts <data>/ml-latest-small',
    data: `MovieLens latest-small: ${films.length} films, ${users.length} users, ${liked.length} ratings above 2 and ${rejected.length} as rejections; since the training, ${hidden.size} films deleted, ${sent.length} sent, ${visitors.length} visitors`,
    columns: ['explanation', 'pairs', 'meaning'],
    rows: [
      ['unknown, or contradicted by the served list', faults.length, 'the goal is 0'],
      ...[...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => [code, count, code === 'listed' ? 'rank and score are those of the served list' : causes[code as keyof typeof causes]]),
    ],
    notes: [`${pairsAsked} random pairs. A pair can have several causes, each of which alone keeps the item out; for causes that a request can remove, the list without them was computed and has the item at the explained rank.`],
  });
  if (faults.length > 0) process.exitCode = 1;
});

/** A random pair with a random list. */
function draw({ liked: own, disliked, hidden }: ExplainedShop, sent: readonly string[], visitors: readonly string[]): Parameters<typeof checkExplanation>[1] {
  const films = entities.map(({ id }) => id);
  const user = pick(users);
  const any = (): string => pick(films);
  const of = (set: ReadonlySet<string> | undefined): string => (set === undefined || set.size === 0 ? any() : pick([...set]));
  const film = any();
  const makers: readonly (() => [string | undefined, string])[] = [
    () => [user, any()], () => [user, any()], () => [user, any()], () => [film, any()], () => [film, any()], () => [film, any()],
    () => [user, of(own.get(user))], () => [user, of(disliked.get(user))], () => [pick([user, film]), of(hidden)], () => [pick([user, film, undefined]), pick(sent)],
    () => [pick(sent), any()], () => [pick(visitors), any()], () => [undefined, any()], () => ['nobody', any()], () => [pick([user, film]), pick(['nothing', user])], () => [film, film],
  ];
  const [source, target] = pick(makers)();
  return {
    ...(source === undefined ? {} : { source_id: source }), target_id: target,
    clauses: clauses.filter(() => random.uniform() < 0.12),
    ...(random.uniform() < 0.1 ? { entity_type: pick([['film'], ['user'], ['car'], ['film', 'user']]) } : {}),
    ...(random.uniform() < 0.15 ? { boost: '"Comedy" in item.genres ? 3.0 : 0.7' } : {}),
    ...(random.uniform() < 0.3 ? { threshold: pick([0.05, 0.1, 0.3, 0.5]) } : {}),
    ...(random.uniform() < 0.2 ? { unknown: 'trending' as const } : {}),
    max_recommendations: pick([10, 100, 100, 1000, 10_000, 10_000]),
  };
}
