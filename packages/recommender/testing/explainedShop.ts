import { createRandom } from '../engine/linear/random.ts';
import { defaultSetting } from '../engine/data/defaultSetting.ts';
import type { TrainingData } from '../engine/data/trainingData.ts';
import { Recommender } from '../engine/query/recommender.ts';
import { RecentEvents } from '../events/recentEvents.ts';
import { RecentView } from '../recommendations/recentView.ts';
import { train } from './train.ts';
import { withModel } from './withModel.ts';

/** A model with recent events, and the data that both come from. */
export interface ExplainedShop {
  recommender: Recommender;
  data: TrainingData;
  /** Targets of positive interactions by source, events included. */
  liked: ReadonlyMap<string, ReadonlySet<string>>;
  disliked: ReadonlyMap<string, ReadonlySet<string>>;
  hidden: ReadonlySet<string>;
  /** Sources of interactions by target, in the data of the model. */
  audience: ReadonlyMap<string, ReadonlySet<string>>;
  ids: readonly string[];
  films: readonly string[];
  /** Sources with interactions. */
  sources: readonly string[];
}

/** Clauses of the filters in the checks. */
export const clauses = ['item.price < 70', 'item.price < user.budget', '!("genre 1" in item.genres)', 'item.maker != "maker 2"', '(item.stock || item.price > 20)'];

/**
 * A generated shop: films and series, of which the last tenth has no interactions, brands that nobody interacted with, users with one favourite
 * genre each, and since the training deleted items, new users and further interactions. For tests of explanations.
 */
export async function withExplainedShop<Result>(films: number, users: number, use: (shop: ExplainedShop) => Result | Promise<Result>): Promise<Result> {
  const data = generate(films, users);
  const setting = { ...defaultSetting, recency: true, transitions: 0.3 };
  return withModel(train(data, { setting, seed: 1 }, () => undefined), (reader) => {
    const recent = new RecentEvents();
    const recommender = new Recommender(reader, new RecentView(reader, recent.of('o'), { eventsThrough: 0, batchesThrough: 0, dataTags: [], maximumAgeMs: null, weights: {}, filter: null }));
    const shop = describe(recommender, data);
    sendEvents(shop, recent, films, users);
    return use({ ...shop, films: shop.ids.filter((id) => id.startsWith('film')), sources: [...shop.liked.keys()] });
  });
}

const name = (kind: string, number: number): string => `${kind} ${String(number).padStart(4, '0')}`;

function generate(films: number, users: number): TrainingData {
  const random = createRandom(9);
  const brands = 5;
  const ids = [...Array.from({ length: brands }, (_, at) => name('brand', at)), ...Array.from({ length: films }, (_, at) => name('film', at)), ...Array.from({ length: users }, (_, at) => name('user', at))];
  const rows = { source: [] as number[], target: [] as number[] };
  const dislikes = { source: [] as number[], target: [] as number[], weight: [] as number[] };
  for (let user = 0; user < users; user += 1) {
    for (let film = 0; film < films * 0.9; film += 1) {
      const likes = (film % 4 === user % 4 ? 30 : 4) * (film % 7 === 0 ? 3 : 1) / films;
      const drawn = random.uniform();
      if (drawn < likes) { rows.source.push(brands + films + user); rows.target.push(brands + film); }
      else if (drawn > 1 - 1 / films) { dislikes.source.push(brands + films + user); dislikes.target.push(brands + film); dislikes.weight.push(-1); }
    }
  }
  const typeOf = (node: number): number => (node < brands ? 0 : node >= brands + films ? 3 : node % 50 === 0 && node < films * 0.9 ? -1 : node % 3 === 0 ? 2 : 1);
  const metadataOf = (node: number): object => {
    if (node >= brands + films) return node % 2 === 0 ? { budget: node % 100 } : {};
    return { genres: [`genre ${(node - brands) % 4}`], maker: `maker ${node % 6}`, stock: node % 5 !== 0, ...(node % 9 === 0 ? {} : { price: node % 100 }) };
  };
  return {
    types: ['brand', 'film', 'series', 'user'],
    nodes: {
      count: ids.length, ids, type: Int32Array.from(ids, (_, node) => typeOf(node)), names: ids.map(() => ''), mediaUrls: ids.map(() => ''),
      metadata: ids.map((_, node) => JSON.stringify(metadataOf(node))),
    },
    pairs: {
      count: rows.source.length, source: Int32Array.from(rows.source), target: Int32Array.from(rows.target),
      time: Float64Array.from(rows.source, (_, at) => 1e12 + 1e7 * at),
    },
    dislikes: { count: dislikes.source.length, source: Int32Array.from(dislikes.source), target: Int32Array.from(dislikes.target), weight: Float32Array.from(dislikes.weight) },
  };
}

function describe(recommender: Recommender, data: TrainingData): Omit<ExplainedShop, 'films' | 'sources'> & { liked: Map<string, Set<string>>; hidden: Set<string> } {
  const { ids } = data.nodes;
  const collect = (sources: Int32Array, targets: Int32Array): Map<string, Set<string>> => {
    const sets = new Map<string, Set<string>>();
    for (const [at, source] of sources.entries()) addTo(sets, ids[source] ?? '', ids[targets[at] ?? 0] ?? '');
    return sets;
  };
  const { pairs, dislikes } = data;
  return {
    recommender, data, ids, hidden: new Set(), liked: collect(pairs.source, pairs.target), audience: collect(pairs.target, pairs.source),
    disliked: dislikes === undefined ? new Map() : collect(dislikes.source, dislikes.target),
  };
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

function sendEvents({ liked, hidden }: ReturnType<typeof describe>, recent: RecentEvents, films: number, users: number): void {
  let sequence = 0;
  const send = (kind: 'interaction' | 'entity', targetId: string, sourceId: string | null): void => recent.add({
    sequence: sequence += 1, afterBatch: 0, organizationId: 'o', kind, tags: [], targetId, sourceId, type: 'view', happenedAt: 1.1e12 + sequence, receivedAt: 1.1e12 + sequence,
    name: null, metadata: null, mediaUrl: null, available: kind === 'entity' ? false : null,
  });
  for (let film = 3; film < films; film += 17) {
    hidden.add(name('film', film));
    send('entity', name('film', film), null);
  }
  for (let at = 0; at < 20; at += 1) {
    const source = at % 2 === 0 ? name('visitor', at) : name('user', (at * 7) % users);
    // Items that nobody disliked, so that the event does not cancel a rejection.
    const target = name('film', films - 1 - at);
    addTo(liked, source, target);
    send('interaction', target, source);
  }
}
