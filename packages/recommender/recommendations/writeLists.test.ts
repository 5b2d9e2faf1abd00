import { afterAll, beforeAll, expect, it } from 'vitest';
import { Row } from '../engine/modelFile/wordRows.ts';
import { Recommender } from '../engine/query/recommender.ts';
import { filmData, trainOn } from '../testing/filmData.ts';
import { withModel } from '../testing/withModel.ts';
import type { RecommendationsAnswer } from './recommendation.schema.ts';
import type { RecommendRequest } from './recommendRequest.schema.ts';
import { writeLists } from './writeLists.ts';

let recommender: Recommender;
let finish: () => void = () => undefined;
let open: Promise<void> = Promise.resolve();

beforeAll(async () => {
  const data = filmData(100, 60, 3);
  const time = Float64Array.from(data.pairs.time, (_, pair) => 1e12 + pair * 1e7);
  const metadata = data.nodes.ids.map((_, node) => JSON.stringify(node < 100 ? { price: node, maker: `maker ${node % 5}` } : {}));
  const model = trainOn({ ...data, nodes: { ...data.nodes, metadata }, pairs: { ...data.pairs, time } });
  await new Promise<void>((ready, fail) => {
    open = withModel(model, async (reader) => {
      recommender = new Recommender(reader);
      ready();
      await new Promise<void>((resolve) => { finish = resolve; });
    });
    open.catch(fail);
  });
});
afterAll(async () => {
  finish();
  await open;
});

function post(body: RecommendRequest): RecommendationsAnswer {
  return JSON.parse(writeLists({ version: 1, recommender }, 'm', 'r', body)) as RecommendationsAnswer;
}

/** Mean over the items of the largest cosine of the embeddings with an item before. */
function similarity(ids: readonly string[]): number {
  const { model } = recommender;
  const vectors = ids.map((id) => {
    const row = new Row();
    model.readEmbedding(model.nodeItem[model.findNode(id)] ?? 0, row);
    const vector = [...row.floats.subarray(row.start, row.start + model.facts.rank)];
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
  const nearest = vectors.slice(1).map((own, at) => Math.max(...vectors.slice(0, at + 1).map((other) => own.reduce((product, value, k) => product + value * (other[k] ?? 0), 0))));
  return nearest.reduce((sum, cosine) => sum + cosine, 0) / nearest.length;
}

function listed(body: RecommendRequest): string[] {
  return post(body).recommendations.map(({ target_id: id }) => id);
}

it('recommends for an entity, for several, and trending items for nobody, as the recommender ranks them', () => {
  for (const id of ['user 003', 'film 005']) {
    const ranking = recommender.recommend(recommender.model.findNode(id), { types: null, limit: 9, threshold: 0.1 });
    const items = [...ranking.item.subarray(0, ranking.count)];
    expect(ranking.count).toBeGreaterThan(3);
    expect(listed({ entity_id: id, max_recommendations: 9, threshold: 0.1 })).toEqual(items.map((item) => recommender.model.ids.get(recommender.model.itemNode[item] ?? 0)));
  }
  const body = post({ entity_id: ['user 003', 'film 005', 'nobody'], max_recommendations: 2 });
  expect(body.recommendations.map(({ source_id: id }) => id)).toEqual(['user 003', 'user 003', 'film 005', 'film 005']);
  expect(body.unknown_ids).toEqual(['nobody']);
  expect(body.recommendations[0]?.reasons).toEqual([]);
  expect(listed({ max_recommendations: 5 })).toHaveLength(5);
  expect(listed({ entity_id: 'nobody', unknown: 'trending', max_recommendations: 5 })).toEqual(listed({ max_recommendations: 5 }));
});

it('recommends for a session by its examples, and negative examples push away', () => {
  const genreOf = (id: string): number => Number(id.slice('film '.length)) % 4;
  const session = listed({ history: [{ id: 'film 001' }, { id: 'film 005' }], max_recommendations: 8 });
  expect(session.filter((id) => genreOf(id) === 1).length).toBeGreaterThan(4);
  expect(session).not.toContain('film 001');
  const pushed = listed({ history: [{ id: 'film 001' }, { id: 'film 002' }, { id: 'film 006', type: 'dislike' }, { id: 'film 010', weight: -1 }], max_recommendations: 20 });
  const neutral = listed({ history: [{ id: 'film 001' }, { id: 'film 002' }], max_recommendations: 20 });
  const second = (ids: string[]): number => ids.filter((id) => genreOf(id) === 2).length;
  expect(second(pushed)).toBeLessThan(second(neutral));
  expect(pushed).not.toContain('film 006');
  // The latest entry decides by time, whatever the order: after the dislike, the item is liked again.
  const again = [{ id: 'film 001', timestamp: '2025-01-02' }, { id: 'film 001', type: 'dislike', timestamp: 1_735_689_600 }];
  expect(listed({ history: again, max_recommendations: 8 })).toEqual(listed({ history: [{ id: 'film 001' }], max_recommendations: 8 }));
  const body = post({ history: [{ id: 'film 001' }, { id: 'nothing' }], explain: true, max_recommendations: 1 });
  expect(body.unknown_ids).toEqual(['nothing']);
  expect(body.recommendations[0]?.reasons).toMatchObject([{ kind: 'history', ids: ['film 001'] }]);
  expect(listed({ entity_id: 'user 003', history: [], max_recommendations: 9 })).toEqual(listed({ entity_id: 'user 003', max_recommendations: 9 }));
});

it('ranks candidates, leaves out excluded and seen items, and includes seen ones if asked', () => {
  const whole = listed({ entity_id: 'user 003', max_recommendations: 100 });
  const candidates = [7, 2, 40].map((at) => String(whole[at])).concat('unknown one');
  const body = post({ entity_id: 'user 003', candidates });
  expect(body.recommendations.map(({ target_id: id }) => id)).toEqual([whole[2], whole[7], whole[40]]);
  expect(body.unknown_ids).toEqual(['unknown one']);
  // The last ten films have no interactions, and the model connects a film of another genre only weakly.
  expect(new Set(listed({ entity_id: 'film 005', candidates: ['film 090', 'film 095', 'film 009'] }))).toEqual(new Set(['film 090', 'film 095', 'film 009']));
  expect(listed({ entity_id: 'user 003', exclude: whole.slice(0, 3), max_recommendations: 5 })).toEqual(whole.slice(3, 8));
  const seen = listed({ entity_id: 'user 003', include_seen: true, max_recommendations: 100 });
  expect(seen.filter((id) => whole.includes(id))).toEqual(expect.arrayContaining(whole));
  expect(seen.length).toBeGreaterThan(whole.length + 3);
});

it('arranges by boost, diversity, groups and pinned items, and pages the result', () => {
  const makerOf = (id: string): number => Number(id.slice('film '.length)) % 5;
  const grouped = listed({ entity_id: 'user 003', per_group: { column: 'maker', limit: 2 }, max_recommendations: 50 });
  for (const maker of [0, 1, 2, 3, 4]) expect(grouped.filter((id) => makerOf(id) === maker).length).toBe(2);
  const plain = listed({ entity_id: 'user 003', max_recommendations: 20 });
  const diverse = listed({ entity_id: 'user 003', diversity: 0.7, max_recommendations: 20 });
  expect(similarity(diverse.slice(0, 10))).toBeLessThan(0.9 * similarity(plain.slice(0, 10)));
  expect(diverse[0]).toBe(plain[0]);
  const pinned = [{ id: 'film 095', position: 2 }, { id: String(plain[5]), position: 1 }];
  const placed = listed({ entity_id: 'user 003', pinned, filter: 'item.id != "film 095"', max_recommendations: 6 });
  expect(placed).toEqual([plain[5], 'film 095', ...plain.slice(0, 4)]);
  expect(listed({ entity_id: 'user 003', pinned, max_recommendations: 3, offset: 3 })).toEqual(placed.slice(3, 6));
  expect((listed({ entity_id: 'user 003', boost: 'item.maker == "maker 3" ? 1000 : 0', max_recommendations: 3 })).map(makerOf)).toEqual([3, 3, 3]);
});

it('names types that no entity of the model has', () => {
  expect(post({ entity_id: ['user 003'], entity_type: ['film', 'Film', 'Film'] }).unknown_types).toEqual(['Film']);
  expect(post({ entity_id: ['user 003'], entity_type: ['film'] })).not.toHaveProperty('unknown_types');
});
