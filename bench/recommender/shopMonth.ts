/**
 * Replays 30 days of a simulated shop (arrivals, new products, stock, sessions, returns), with a training every night: hit rate within sessions and time until
 * the first useful list, of popularity, of lists that only know the last training, and of lists that know each event.
 * @example node --import tsx bench/recommender/shopMonth.ts
 */
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { OperatorSetting, TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import type { ModelReader } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import { RecentEvents } from '../../packages/recommender/events/recentEvents.ts';
import { RecentView } from '../../packages/recommender/recommendations/recentView.ts';
import { train } from '../../packages/recommender/testing/train.ts';
import { withModel } from '../../packages/recommender/testing/withModel.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { simulateShop, type ShopEvent, type ShopSession } from '../data/simulateShop.ts';
import { reportTable } from '../harness/reportTable.ts';

const { values } = parseCommandLine({ options: { sessions: { type: 'string', default: '500' }, days: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } } });
/** Days of data before the first list. */
const lead = 15;
const length = 20;
const days = Number(values.days);
const shape = { days: lead + days, sessionsPerDay: Number(values.sessions), products: 800, newProductsPerDay: 8, seed: Number(values.seed) };
const shop = simulateShop(shape);

const ways = ['popular of the last 7 days, as of last night', 'popular of the last 7 days, live', 'last training only', 'last training and each event'] as const;
type Way = (typeof ways)[number];

interface Figures {
  lists: number;
  hits: number;
  firstLists: number;
  firstHits: number;
  newLists: number;
  newHits: number;
  entries: number;
  missingEntries: number;
  sessions: number;
  useful: number;
  /** Seconds from the start of each session to its first useful list; to its end without one. */
  seconds: number;
}

const figures = new Map<Way, Figures>(ways.map((way) => [way, { lists: 0, hits: 0, firstLists: 0, firstHits: 0, newLists: 0, newHits: 0, entries: 0, missingEntries: 0, sessions: 0, useful: 0, seconds: 0 }]));

interface Past {
  visitor: string;
  event: ShopEvent;
}

/** The data of a training: the latest event of each pair decides; a return is a rejection. */
function trainingData(past: readonly Past[], day: number): TrainingData {
  const latest = new Map<string, Past>();
  for (const each of past) latest.set(`${each.visitor} ${each.event.product}`, each);
  const products = shop.products.filter(({ since }) => since <= day);
  const visitors = [...new Set(past.map(({ visitor }) => visitor))].sort();
  const ids = [...products.map(({ id }) => id), ...visitors];
  const nodeOf = new Map(ids.map((id, node) => [id, node]));
  const rows = [...latest.values()].map(({ visitor, event }) => ({ source: nodeOf.get(visitor) ?? 0, target: event.product, time: event.time, type: event.type }))
    .sort((a, b) => a.source - b.source || a.time - b.time);
  const liked = rows.filter(({ type }) => type !== 'return');
  const disliked = rows.filter(({ type }) => type === 'return');
  const columns = (of: typeof rows) => ({ count: of.length, source: Int32Array.from(of, ({ source }) => source), target: Int32Array.from(of, ({ target }) => target) });
  return {
    types: ['product', 'visitor'],
    nodes: {
      count: ids.length, ids, type: Int32Array.from(ids, (_, node) => (node < products.length ? 0 : 1)), names: ids.map(() => ''), mediaUrls: ids.map(() => ''),
      metadata: ids.map((_, node) => products[node]?.metadata ?? ''),
    },
    pairs: { ...columns(liked), time: Float64Array.from(liked, ({ time }) => time) },
    ...(disliked.length === 0 ? {} : { dislikes: { ...columns(disliked), weight: new Float32Array(disliked.length).fill(-1) } }),
  };
}

const recent = new RecentEvents();
let sequence = 0;

function sendEvent(kind: 'interaction' | 'entity', product: number, sourceId: string | null, details: { type?: string; time?: number; available?: boolean }): void {
  recent.add({
    sequence: sequence += 1, afterBatch: 0, organizationId: 'o', kind, tags: [], targetId: shop.products[product]?.id ?? '', sourceId, type: details.type ?? null,
    happenedAt: details.time ?? null, receivedAt: details.time ?? 0, name: null, metadata: null, mediaUrl: null, available: details.available ?? null,
  });
}

/** Products of a list, best first. */
function listOf(model: ModelReader, recommender: Recommender, visitor: string): number[] {
  const node = model.findNode(visitor);
  const ranking = recommender.recommend(node >= 0 ? node : visitor, { types: null, limit: length, threshold: 0 });
  return Array.from(ranking.item.subarray(0, ranking.count), (item) => productOf.get(model.ids.get(model.itemNode[item] ?? 0)) ?? -1);
}
const productOf = new Map(shop.products.map(({ id }, product) => [id, product]));

/** Counts of the last seven days. */
class Popularity {
  private readonly counts = new Map<number, number>();
  add(product: number, by: number): void {
    this.counts.set(product, (this.counts.get(product) ?? 0) + by);
  }
  sorted(): number[] {
    return [...this.counts].filter(([, count]) => count > 0).sort(([a, left], [b, right]) => right - left || a - b).map(([product]) => product);
  }
}

function record(way: Way, session: ShopSession, lists: readonly (readonly number[])[]): void {
  const own = figures.get(way) as Figures;
  const missing = shop.missing[session.day] ?? new Set();
  const chosen = session.events.map(({ product }) => product);
  own.sessions += 1;
  const started = session.events[0]?.time ?? 0;
  const useful = lists.findIndex((list, at) => chosen.slice(at).some((product) => list.includes(product)));
  if (useful >= 0) own.useful += 1;
  own.seconds += (((session.events[useful < 0 ? session.events.length - 1 : useful] ?? { time: started }).time) - started) / 1_000;
  for (const [at, list] of lists.entries()) {
    const hit = list.includes(chosen[at] ?? -1) ? 1 : 0;
    own.entries += list.length;
    own.missingEntries += list.filter((product) => missing.has(product)).length;
    if (at === 0) { own.firstLists += 1; own.firstHits += hit; continue; }
    own.lists += 1;
    own.hits += hit;
    if (session.isNew) { own.newLists += 1; own.newHits += hit; }
  }
}

const past: Past[] = [];
const seenBy = new Map<string, Set<number>>();
let setting: OperatorSetting | null = null;
for (const session of shop.sessions.filter(({ day }) => day < lead)) for (const event of session.events) past.push({ visitor: session.visitor, event });
for (const each of shop.returns.slice(0, lead).flat()) past.push(each);

for (let day = lead; day < shape.days; day += 1) {
  past.sort((a, b) => a.event.time - b.event.time);
  for (const { visitor, event } of past) seenBy.set(visitor, (seenBy.get(visitor) ?? new Set()).add(event.product));
  // The catalogue of the night before: products that are new on this day are not in the training.
  const data = trainingData(past, day - 1);
  setting ??= chooseSetting(data, 'exponents', 1, () => {})?.chosen ?? defaultSetting;
  const live = new Popularity();
  for (const { event } of past) if (event.type !== 'return' && event.time >= (past.at(-1)?.event.time ?? 0) - 7 * 86_400_000) live.add(event.product, 1);
  const nightly = live.sorted();
  await withModel(train(data, { setting, seed: 1 }, () => undefined), (model) => {
    const before = new Recommender(model);
    const fresh = new Recommender(model, new RecentView(model, recent.of('o'), { eventsThrough: sequence, batchesThrough: 0, dataTags: [], maximumAgeMs: null, weights: {}, filter: null }));
    const missing = shop.missing[day] ?? new Set<number>();
    for (const product of shop.missing[day - 1] ?? []) if (!missing.has(product)) sendEvent('entity', product, null, { available: true });
    for (const product of missing) sendEvent('entity', product, null, { available: false });
    for (const each of shop.returns[day] ?? []) {
      sendEvent('interaction', each.event.product, each.visitor, each.event);
      past.push(each);
    }
    for (const session of shop.sessions) {
      if (session.day !== day) continue;
      const lists = new Map<Way, number[][]>(ways.map((way) => [way, []]));
      const known = seenBy.get(session.visitor) ?? new Set<number>();
      const now = new Set(known);
      for (const event of session.events) {
        lists.get('popular of the last 7 days, as of last night')?.push(nightly.filter((product) => !known.has(product)).slice(0, length));
        lists.get('popular of the last 7 days, live')?.push(live.sorted().filter((product) => !now.has(product) && !missing.has(product)).slice(0, length));
        lists.get('last training only')?.push(listOf(model, before, session.visitor));
        lists.get('last training and each event')?.push(listOf(model, fresh, session.visitor));
        sendEvent('interaction', event.product, session.visitor, event);
        past.push({ visitor: session.visitor, event });
        live.add(event.product, 1);
        now.add(event.product);
      }
      for (const way of ways) record(way, session, lists.get(way) ?? []);
    }
  });
  const progress = figures.get('last training and each event');
  console.error(`day ${day - lead + 1}: ${progress?.hits} hits of ${progress?.lists}`);
}

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
await reportTable({
  name: 'shop-month',
  title: 'Thirty days of a simulated shop',
  command: `node --import tsx bench/recommender/shopMonth.ts ${process.argv.slice(2).join(' ')}`.trim(),
  data: `simulated: ${days} days after ${lead} days of data, ${shape.sessionsPerDay} sessions a day (40 % of new visitors), ${shape.products} products and ${shape.newProductsPerDay} new ones a day, 4 % out of stock, 12 % of the purchases returned; ${past.length} events, seed ${shape.seed}`,
  columns: ['lists of 20', 'hit rate within sessions', 'of new visitors', 'first list of a session', 'sessions with a useful list', 'seconds to the first useful list', 'entries out of stock'],
  rows: [...figures].map(([way, own]) => [
    way, percent(own.hits, own.lists), percent(own.newHits, own.newLists), percent(own.firstHits, own.firstLists), percent(own.useful, own.sessions),
    (own.seconds / Math.max(1, own.sessions)).toFixed(0), percent(own.missingEntries, own.entries),
  ]),
  notes: [
    'A list is asked for before each event of a session; a hit contains the product that the visitor chooses next, and a useful list a product that the visitor chooses later in the session. Within sessions: all lists but the first. Seconds are the mean over all sessions; a session without a useful list counts with its length, and events are 40 s apart. Models are trained every night, with the setting that held-out data of the first night chooses.',
    'What visitors choose does not depend on the lists, so hit rates are comparable, but lower than in a shop that shows the lists.',
  ],
});
