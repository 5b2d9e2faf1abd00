import { describe, expect, it } from 'vitest';
import { explain } from '../engine/query/explain.ts';
import type { Recommender } from '../engine/query/recommender.ts';
import { RecentEvents } from '../events/recentEvents.ts';
import { fileOf, film, films, options, sceneModel, user, withScene } from '../testing/recentScene.ts';
import { explainPair } from './explanation/explainPair.ts';
import { findItems, findSources } from './findSources.ts';
import type { RecommendationsAnswer } from './recommendation.schema.ts';
import type { RecommendRequest } from './recommendRequest.schema.ts';
import { writeLists } from './writeLists.ts';

const genresOf = (ids: readonly string[]): number[] => ids.map((id) => Number(id.slice(5)) % 4);

describe('after an event', () => {
  it('a new user gets items for it, without the item itself, and with the event as the reason', async () => {
    await withScene(({ recommender, list, send }) => {
      expect(recommender.knows('new')).toBe(false);
      send({ sourceId: 'new', targetId: film(5) });
      expect(recommender.knows('new')).toBe(true);
      const listed = list('new');
      expect(listed).toHaveLength(20);
      expect(listed).not.toContain(film(5));
      expect(genresOf(listed).filter((genre) => genre === 1).length).toBeGreaterThan(12);
      const ranking = recommender.recommend('new', options);
      expect(ranking.kind).toBe('history');
      expect(explain(recommender.model, -1, ranking)[0]?.[0]).toMatchObject({ kind: 'history', ids: [film(5)], share: 1 });
    });
  });

  it('a known user no longer gets the item, and the history has one item more', async () => {
    await withScene(({ list, send, recommender }) => {
      const before = list(user(3));
      const seen = before[0] ?? '';
      send({ sourceId: user(3), targetId: seen });
      const after = list(user(3));
      expect(after).not.toContain(seen);
      expect(after).not.toEqual(before);
      const { history, nodeUser, ids } = recommender.model;
      const own = recommender.model.findNode(user(3));
      expect([history.count(nodeUser[own] ?? 0) > 5, ids.get(own)]).toEqual([true, user(3)]);
      expect(recommender.recommend(own, options).history?.items).toHaveLength(history.count(nodeUser[own] ?? 0) + 1);
    });
  });

  it('of an item that the history has already, the items with interactions keep their order', async () => {
    await withScene(({ list, send, recommender: { model: reader } }) => {
      // The last ten films have no interactions.
      const warm = (): string[] => list(user(3)).filter((id) => id < film(films - 10));
      const before = warm();
      expect(before.length).toBeGreaterThan(10);
      const own = reader.nodeUser[reader.findNode(user(3))] ?? 0;
      const { index, pointer } = sceneModel().history;
      const watched = Array.from({ length: films }, (_, at) => film(at)).find((id) => {
        const item = reader.nodeItem[reader.findNode(id)] ?? -1;
        return index.subarray(pointer[own], pointer[own + 1]).includes(item);
      }) ?? '';
      send({ sourceId: user(3), targetId: watched });
      const after = warm();
      expect(after.slice(0, 10)).toEqual(before.slice(0, 10));
    });
  });

  it('that is negative, the item and its like go down, and a later positive event takes it back', async () => {
    await withScene(({ list, send }) => {
      send({ sourceId: 'new', targetId: film(5) });
      send({ sourceId: 'new', targetId: film(6) });
      const share = (): number => genresOf(list('new')).filter((genre) => genre === 2).length;
      const liked = share();
      send({ sourceId: 'new', targetId: film(6), type: 'Not Interested' });
      expect(list('new')).not.toContain(film(6));
      expect(share()).toBeLessThan(liked);
      send({ sourceId: 'new', targetId: film(6), type: 'purchase' });
      expect(share()).toBe(liked);
    });
  });

  it('that the training has seen, or whose tags the training does not use, nothing changes', async () => {
    await withScene(({ recommender, send }) => {
      send({ sourceId: 'new', targetId: film(5), tags: ['used'] });
      send({ sourceId: 'new', targetId: film(5), tags: ['other'] });
      expect(recommender.knows('new')).toBe(false);
      send({ sourceId: 'new', targetId: film(5), tags: ['other', 'used'] });
      expect(recommender.knows('new')).toBe(true);
    }, { eventsThrough: 1, batchesThrough: 0, dataTags: ['used'], maximumAgeMs: null, weights: {}, filter: null });
  });

  it('that is older than the model allows, nothing changes, as after the next training', async () => {
    await withScene(({ recommender, trending, send }) => {
      const before = trending();
      const last = before.at(-1) ?? '';
      for (let at = 0; at < 200; at += 1) send({ sourceId: `new ${at}`, targetId: last, happenedAt: 1e12 - 6 * 86_400_000, receivedAt: 1e12 });
      expect(recommender.knows('new 1')).toBe(false);
      expect(trending()).toEqual(before);
      send({ sourceId: 'new 1', targetId: last, happenedAt: 1e12 - 4 * 86_400_000, receivedAt: 1e12 });
      expect(recommender.knows('new 1')).toBe(true);
    }, { eventsThrough: 0, batchesThrough: 0, dataTags: [], maximumAgeMs: 5 * 86_400_000, weights: {}, filter: null });
  });

  it('with an item that the model does not know, a new user gets trending items', async () => {
    await withScene(({ list, trending, send }) => {
      send({ sourceId: 'new', targetId: 'unheard of' });
      expect(list('new')).toEqual(trending());
    });
  });
});

describe('a deleted or unavailable item', () => {
  it('is in no list until it is sent again', async () => {
    await withScene(({ list, trending, send }) => {
      const whole = { user: list(user(3)), item: list(film(9)), trending: trending() };
      const gone = [whole.user[0], whole.item[0], whole.trending[0]].map((id) => id ?? '');
      for (const targetId of gone) send({ kind: 'deletion', targetId, available: false });
      const lists = [list(user(3)), list(film(9)), trending(), list('stranger')];
      for (const list of lists) for (const id of gone) expect(list).not.toContain(id);
      expect(lists[0]).toHaveLength(20);
      for (const targetId of gone) send({ kind: 'entity', targetId, available: true });
      expect({ user: list(user(3)), item: list(film(9)), trending: trending() }).toEqual(whole);
    });
  });

  it('is named by no reason, and neither is a deleted user', async () => {
    await withScene(({ recommender, send }) => {
      const named = (id: string): string[] => explain(recommender.model, recommender.model.findNode(id), recommender.recommend(recommender.model.findNode(id), options), recommender.recent)
        .flat().flatMap((reason) => ('ids' in reason ? [...reason.ids, 'through' in reason ? (reason.through ?? '') : '', reason.text] : []));
      for (const source of [user(3), film(9)]) {
        const [first = ''] = named(source);
        expect(named(source).join()).toContain(first);
        send({ kind: 'deletion', targetId: first, available: false });
        expect(named(source).join()).not.toContain(first);
        expect(named(source).length).toBeGreaterThan(0);
      }
    });
  });
});

describe('a trending item', () => {
  it('rises with the number of users who have it, not with repeats of one user', async () => {
    await withScene(({ trending, send }) => {
      const last = trending().at(-1) ?? '';
      for (let at = 0; at < 200; at += 1) send({ sourceId: 'one', targetId: last });
      expect(trending()[0]).not.toBe(last);
      for (let at = 0; at < 200; at += 1) send({ sourceId: `user ${at} of many`, targetId: last });
      expect(trending()[0]).toBe(last);
      expect(new Set(trending()).size).toBe(20);
    });
  });

  it('does not rise by interactions of long ago that arrive now, as those of an older system', async () => {
    await withScene(({ trending, send }) => {
      const before = trending();
      const last = before.at(-1) ?? '';
      const arrive = (day: number) => { for (let at = 0; at < 200; at += 1) send({ sourceId: `user ${at} of many`, targetId: last, happenedAt: 1e12 - day * 86_400_000, receivedAt: 1e12 }); };
      arrive(10_000);
      arrive(100);
      expect(trending()).toEqual(before);
      arrive(0);
      expect(trending()[0]).toBe(last);
    });
  });
});

describe('the memory of events', () => {
  it('is bounded: the organization with most events loses its oldest', () => {
    const recent = new RecentEvents({ events: 3000, bytes: 1e9 });
    const add = (organizationId: string, at: number): void => recent.add({
      afterBatch: 0, sequence: at, organizationId, kind: 'interaction', tags: [], targetId: 'a', sourceId: `u${at % 7}`, type: null, happenedAt: at, receivedAt: at, name: null, metadata: null, mediaUrl: null, available: null,
    });
    for (let at = 1; at <= 100; at += 1) add('small', at);
    for (let at = 101; at <= 20_000; at += 1) add('large', at);
    expect([recent.of('small').count, recent.of('large').count]).toEqual([100, 2900]);
    expect([...recent.of('large').since(0)].map((event) => event.sequence)).toEqual(Array.from({ length: 2900 }, (_, at) => 17_101 + at));
    expect([...recent.of('large').since(recent.of('large').end - 2)].map((event) => event.sequence)).toEqual([19_999, 20_000]);
    expect(recent.of('large').bySource.get('u0')?.[0]?.sequence).toBe(17_101);
  });
});

describe('POST /v1/recommender/recommend after an event', () => {
  const post = (recommender: Recommender, body: RecommendRequest): RecommendationsAnswer =>
    JSON.parse(writeLists({ version: 1, recommender }, 'm', 'r', body)) as RecommendationsAnswer;
  const idsOf = ({ recommendations }: RecommendationsAnswer): string[] => recommendations.map(({ target_id: id }) => id);

  it('no list contains a hidden item, whether it is a candidate, pinned or seen', async () => {
    await withScene(({ recommender, list, send }) => {
      const hidden = film(5);
      const seen = list(user(3))[0] ?? '';
      send({ sourceId: user(3), targetId: seen });
      const candidates = { entity_id: user(3), candidates: [hidden, film(6)] };
      const pinned = { entity_id: user(3), pinned: [{ id: hidden, position: 1 }], max_recommendations: 5 };
      const included = { entity_id: user(3), include_seen: true, max_recommendations: 200 };
      expect(idsOf(post(recommender, candidates))).toContain(hidden);
      expect(idsOf(post(recommender, pinned))[0]).toBe(hidden);
      expect(idsOf(post(recommender, included))).toContain(seen);
      for (const id of [hidden, seen]) send({ kind: 'deletion', targetId: id, available: false });
      expect(idsOf(post(recommender, candidates))).not.toContain(hidden);
      expect(idsOf(post(recommender, pinned))).not.toContain(hidden);
      expect(idsOf(post(recommender, included))).not.toContain(seen);
    });
  });

  it('newer interactions count as seen, and before a session', async () => {
    await withScene(({ recommender, send }) => {
      send({ sourceId: user(3), targetId: film(5) });
      send({ sourceId: 'new', targetId: film(6) });
      expect(idsOf(post(recommender, { entity_id: user(3), candidates: [film(5)] }))).toEqual([]);
      const session = post(recommender, { entity_id: 'new', history: [{ id: film(9) }] });
      expect(session.unknown_ids).toEqual([]);
      expect(idsOf(session)).not.toContain(film(6));
      expect(idsOf(post(recommender, { entity_id: 'new', include_seen: true }))).toContain(film(6));
    });
  });
});

describe('an entity that the model does not know', () => {
  const detailOf = (recommender: Recommender, ids: string[]): string => {
    try {
      findSources(recommender, ids);
    } catch (error) {
      return (error as Error).message;
    }
    return 'found';
  };
  const general = /^The model does not know the id in entity_id, "x"\. Check the spelling/;

  it('is unknown because of the data_tags of the model, a deletion or the next training, as far as that is known', async () => {
    await withScene(async ({ recommender, send, upload }) => {
      const outside = '"x" was sent, but without a tag of the model, which was trained with data_tags "shop", "web". Send it again with one of these tags.';
      expect(detailOf(recommender, ['x'])).toContain('The model was trained with data_tags "shop", "web", so it does not know what only other batches and events contain. Check');
      send({ kind: 'entity', targetId: 'x', tags: ['other'] });
      send({ sourceId: 'y', targetId: film(5), tags: [] });
      expect(detailOf(recommender, ['x'])).toContain(`${outside} Check`);
      expect(detailOf(recommender, ['z', 'y'])).toContain(outside.replace('"x"', '"y"'));
      // An item must not tell a web page what was sent.
      expect(() => findItems(recommender, ['x'])).toThrow(general);
      const { causes } = await explainPair(recommender, { source_id: 'y', target_id: 'x' }, async () => {});
      expect(causes).toMatchObject([
        { code: 'unknown_source', text: expect.stringContaining('"y" was sent, but without a tag') as string }, { code: 'unknown_target', text: expect.stringContaining(outside) as string },
      ]);
      send({ kind: 'entity', targetId: 'x', tags: ['web'] });
      expect(detailOf(recommender, ['x'])).toContain('"x" was sent as an entity, but the model has no place for it before the next training');
      upload(fileOf('w', [[film(5)]], { tags: ['other'] }));
      expect(detailOf(recommender, ['w'])).toContain(outside.replace('"x"', '"w"'));
      send({ kind: 'deletion', targetId: 'x', available: false });
      expect(detailOf(recommender, ['x'])).toContain('"x" was deleted, or sent with "available": false. Check');
      send({ sourceId: 'y', targetId: film(5), tags: ['shop'] });
      expect(detailOf(recommender, ['y'])).toBe('found');
    }, { eventsThrough: 0, batchesThrough: 0, dataTags: ['shop', 'web'], maximumAgeMs: null, weights: {}, filter: null });
    await withScene(({ recommender }) => expect(() => findSources(recommender, ['x'])).toThrow(general));
  });
});
