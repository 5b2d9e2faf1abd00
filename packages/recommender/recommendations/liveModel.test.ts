import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TrainedModel } from '../engine/data/trainedModel.ts';
import { explain } from '../engine/query/explain.ts';
import type { Ranking } from '../engine/query/ranking.ts';
import type { Recommender } from '../engine/query/recommender.ts';
import type { StoredEvent } from '../events/event.ts';
import { RecentEvents } from '../events/recentEvents.ts';
import { filmData, trainOn } from '../testing/filmData.ts';
import { withModel } from '../testing/withModel.ts';
import type { TrainedOn } from '../models/modelStore.ts';
import { LiveModel } from './liveModel.ts';
import { rankList } from './steering/rankList.ts';
import { Steering } from './steering/steering.ts';
import { yieldToOthers } from './yieldToOthers.ts';

const films = 120;
const users = 60;
let model: TrainedModel;
let bare: TrainedModel;
beforeAll(() => {
  const data = filmData(films, users, 7);
  const metadata = data.nodes.metadata.map((text, node) => (text === '' ? '' : JSON.stringify({ ...(JSON.parse(text) as object), price: node % 50 })));
  model = trainOn({ ...data, nodes: { ...data.nodes, metadata } });
  const none = { count: 0, source: new Int32Array(0), target: new Int32Array(0), time: new Float64Array(0) };
  bare = trainOn({ ...data, pairs: none });
});

const film = (number: number): string => `film ${String(number).padStart(3, '0')}`;
const user = (number: number): string => `user ${String(number).padStart(3, '0')}`;
const options = { types: null, limit: 200, threshold: 0 };
const trained: TrainedOn = { eventsThrough: 0, batchesThrough: 0, dataTags: [], maximumAgeMs: null, weights: {}, filter: null };

interface Scene {
  live: LiveModel;
  recent: RecentEvents;
  send(id: string, rest?: Partial<StoredEvent>): void;
  list(id: string): string[];
}

let sequence = 0;
afterEach(() => { sequence = 0; });

async function withScene(use: (scene: Scene) => void | Promise<void>, { of = model, trainedOn = trained, kept = 1_000 } = {}): Promise<void> {
  await withModel(of, async (reader) => {
    const recent = new RecentEvents({ events: 1e6, bytes: 1e9, entities: kept });
    const live = new LiveModel(reader, recent.of('o'), trainedOn);
    await use({
      live, recent,
      send: (id, rest = {}) => recent.add({
        sequence: sequence += 1, afterBatch: 0, organizationId: 'o', kind: 'entity', tags: [], targetId: id, sourceId: null, type: 'film', happenedAt: null, receivedAt: 0,
        name: null, metadata: '{"genre":"genre 1"}', mediaUrl: null, available: null, ...rest,
      }),
      list: (id) => listOf(live.current(), id),
    });
  });
}

const idsOf = ({ model: reader }: Recommender, { item, count }: Ranking): string[] => Array.from(item.subarray(0, count), (each) => reader.ids.get(reader.itemNode[each] ?? 0));
const listOf = (recommender: Recommender, id: string): string[] => {
  const node = recommender.model.findNode(id);
  return idsOf(recommender, recommender.recommend(node < 0 ? id : node, options));
};
/** Waits until all entities have a place. */
async function settle(live: LiveModel, recent: RecentEvents): Promise<void> {
  const ids = [...recent.of('o').entities.keys()];
  for (let turn = 0; turn < 10_000 && ids.some((id) => live.current().model.findNode(id) < 0); turn += 1) await yieldToOthers();
}

const genreOf = (id: string): number => Number(id.slice(5)) % 4;

describe('an entity sent after the training', () => {
  it('has related items of its kind, and is in the lists of the items and users of its kind, by its metadata alone', () => withScene(({ live, send, list }) => {
    expect(live.current().knows('new')).toBe(false);
    const before = [list(film(1)), list(user(1))];
    send('new', { name: 'A new film', mediaUrl: 'https://example.org/new' });
    expect(list('new').slice(0, 20).map(genreOf)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(list(film(1))).toContain('new');
    expect(list(film(2)).slice(0, 20)).not.toContain('new');
    expect(list(user(1))).toContain('new');
    expect([list(film(1)), list(user(1))].map((ids) => ids.filter((id) => id !== 'new'))).toEqual(before);
    const { model: reader } = live.current();
    const node = reader.findNode('new');
    expect([reader.names.get(node), reader.mediaUrls.get(node), reader.ids.get(node)]).toEqual(['A new film', 'https://example.org/new', 'new']);
  }));

  it('has scores that never rise with the rank, also where the entity is in the list of another', () => withScene(async ({ live, recent, send }) => {
    for (let number = 0; number < 8; number += 1) send(`new ${number}`, { metadata: JSON.stringify({ genre: `genre ${number % 4}`, shelf: `${number % 3}` }) });
    await settle(live, recent);
    for (const id of ['new 1', film(1), user(1)]) {
      const recommender = live.current();
      const { score, count } = recommender.recommend(recommender.model.findNode(id), options);
      const scores = [...score.subarray(0, count)];
      expect(count).toBeGreaterThan(10);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(Math.max(...scores)).toBeLessThanOrEqual(1);
    }
    expect(listOf(live.current(), 'new 1')).toContain('new 5');
  }));

  it('has its place in the stored list of a user, whose other items and scores stay, and a short list is the beginning of a long one', () => withScene(({ live, send }) => {
    const stored = (limit: number): { ids: string[]; scores: number[] } => {
      const recommender = live.current();
      const ranking = recommender.recommend(recommender.model.findNode(user(1)), { ...options, limit });
      return { ids: idsOf(recommender, ranking), scores: [...ranking.score.subarray(0, ranking.count)] };
    };
    const before = stored(100);
    send('new', { metadata: '{"genre":"genre 1","shelf":"2"}' });
    const after = stored(100);
    const place = after.ids.indexOf('new');
    expect(place).toBeGreaterThanOrEqual(0);
    expect(after.ids.toSpliced(place, 1)).toEqual(before.ids.slice(0, 99));
    expect(after.scores.toSpliced(place, 1)).toEqual(before.scores.slice(0, 99));
    expect(after.scores).toEqual(after.scores.toSorted((a, b) => b - a));
    expect(stored(place + 2)).toEqual({ ids: after.ids.slice(0, place + 2), scores: after.scores.slice(0, place + 2) });
    send('new', { available: false });
    expect(stored(100)).toEqual(before);
  }));

  it('is explained by the attributes that both entities have, and by nothing else', () => withScene(({ live, send }) => {
    send('new', { metadata: '{"genre":"genre 1","price":12,"colour":"red"}' });
    const recommender = live.current();
    for (const [source, target] of [['new', film(1)], [film(1), 'new']] as const) {
      const node = recommender.model.findNode(source);
      const ranking = recommender.recommend(node, options);
      const place = idsOf(recommender, ranking).indexOf(target);
      const reasons = explain(recommender.model, node, ranking, recommender.recent)[place] ?? [];
      expect(reasons.map(({ kind }) => kind)).toContain('attribute');
      expect(reasons.filter((reason) => reason.kind === 'attribute').map(({ field, value }) => `${field}=${value}`)).toEqual(['genre=genre 1']);
    }
    const ofUser = recommender.model.findNode(user(1));
    const ranking = recommender.recommend(ofUser, options);
    const reasons = explain(recommender.model, ofUser, ranking, recommender.recent)[idsOf(recommender, ranking).indexOf('new')] ?? [];
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason.kind === 'history' ? reason.ids.map(genreOf) : []).toEqual(reason.kind === 'history' ? reason.ids.map(() => 1) : [0]);
  }));

  it('passes or fails filters by the values that were sent', () => withScene(({ live, send }) => {
    send('cheap', { metadata: '{"genre":"genre 1","price":3}' });
    send('dear', { metadata: '{"genre":"genre 1","price":4000}' });
    send('free', { metadata: '{"genre":"genre 1"}' });
    const recommender = live.current();
    const steering = new Steering(recommender.model, { filter: 'item.price < 10 && item.genre == "genre 1" && item.id != "x"' });
    const listed = idsOf(recommender, rankList(recommender, recommender.model.findNode(film(1)), { ...options, offset: 0, steering }));
    expect(listed).toContain('cheap');
    expect(listed.filter((id) => ['dear', 'free'].includes(id))).toEqual([]);
  }));

  it('is in no list when it is deleted, unavailable, or sent again with other metadata, and stays where it was sent without change', () => withScene(({ live, send, list }) => {
    send('new');
    expect(list(film(1))).toContain('new');
    send('new', { available: false });
    expect([...list(film(1)), ...list(user(1))]).not.toContain('new');
    send('new');
    expect(list(film(1)).filter((id) => id === 'new')).toEqual(['new']);
    const node = live.current().model.findNode('new');
    send('new');
    expect(live.current().model.findNode('new')).toBe(node);
    send('new', { metadata: '{"genre":"genre 2"}' });
    expect(list(film(1)).slice(0, 20)).not.toContain('new');
    expect(list(film(2)).filter((id) => id === 'new')).toEqual(['new']);
    send('new', { kind: 'deletion', available: false });
    expect([...list(film(2)), ...list(user(2))]).not.toContain('new');
    expect(live.current().knows('new')).toBe(false);
  }));

  it('counts in histories, where a session with nothing else gets its related items', () => withScene(({ live, send, list }) => {
    send('new');
    send('new', { kind: 'interaction', sourceId: 'visitor', type: 'view', happenedAt: 1e12, metadata: null });
    const listed = list('visitor');
    expect(listed.slice(0, 20).map(genreOf)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(listed).not.toContain('new');
    expect(idsOf(live.current(), live.current().trending(options))).toContain('new');
  }));

  it('is not used if the training has seen the event, does not use its tags, knows the id, or has no items of its type', () => withScene(({ live, send }) => {
    send('seen', { tags: ['used'] });
    send('other tag', { tags: ['other'] });
    send(user(1), { tags: ['used'] });
    send('of a new type', { tags: ['used'], type: 'actor' });
    send('without a known attribute', { tags: ['used'], metadata: '{"sound":"loud"}' });
    const before = live.current().model;
    for (const id of ['seen', 'other tag', 'of a new type', 'without a known attribute']) expect(live.current().model.findNode(id)).toBe(-1);
    expect(before.nodeItem[before.findNode(user(1))]).toBe(-1);
  }, { trainedOn: { eventsThrough: 1, batchesThrough: 0, dataTags: ['used'], maximumAgeMs: null, weights: {}, filter: null } }));

  it('is not used if the filter of the training leaves it out', () => withScene(({ live, send }) => {
    send('kept', { metadata: '{"genre":"genre 1","year":2024}' });
    send('old', { metadata: '{"genre":"genre 1","year":1950}' });
    send('without a year');
    expect(['kept', 'old', 'without a year'].map((id) => live.current().model.findNode(id) >= 0)).toEqual([true, false, false]);
  }, { trainedOn: { ...trained, filter: { text: 'item.year >= 2000', columns: { 'item.year': 'number' as const } } } }));

  it('keeps its place among many: the newest are kept, and all are placed, also when the numbers are used up', () => withScene(async ({ live, recent, send }) => {
    const [kept, sent] = [60, 210];
    for (let number = 0; number < sent; number += 1) {
      send(`new ${number}`, { metadata: `{"genre":"genre ${number % 4}"}` });
      // Places entities while others arrive, so that the numbers are used up.
      if (number % 50 === 49) await settle(live, recent);
    }
    await settle(live, recent);
    const { model: reader } = live.current();
    expect(Array.from({ length: sent }, (_, number) => number).filter((number) => reader.findNode(`new ${number}`) >= 0)).toEqual(
      Array.from({ length: kept }, (_, number) => sent - kept + number));
    expect(listOf(live.current(), film(1)).filter((id) => id.startsWith('new'))).not.toEqual([]);
  }, { kept: 60 }));

  it('is found by its attributes in a catalogue without interactions', () => withScene(({ send, list }) => {
    send('new', { metadata: '{"genre":"genre 1","shelf":"2"}' });
    expect(list('new').slice(0, 5).map((id) => [genreOf(id), Number(id.slice(5)) % 3])).toEqual(Array.from({ length: 5 }, () => [1, 2]));
    expect(list(film(5))).toContain('new');
  }, { of: bare }));

  it('gives the same lists in every process', async () => {
    const lists: string[][] = [];
    for (let process = 0; process < 2; process += 1) {
      await withScene(({ send, list }) => {
        for (const genre of [1, 2, 1]) send(`new ${sequence}`, { metadata: `{"genre":"genre ${genre}"}` });
        lists.push([...list('new 0'), ...list(film(1)), ...list(user(5))]);
      });
      sequence = 0;
    }
    expect(lists[0]).toEqual(lists[1]);
  });
});
