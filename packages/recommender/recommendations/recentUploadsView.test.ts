import { describe, expect, it } from 'vitest';
import type { UploadedBatch } from '../events/uploadedFile.ts';
import { fileOf, film, options, user, withScene } from '../testing/recentScene.ts';

describe('after an upload', () => {
  it('the files and the events of a user are one history, in the order of their times, and those without a time come first', async () => {
    await withScene(({ recommender, send, upload }) => {
      send({ sourceId: 'new', targetId: film(1), happenedAt: 300 });
      send({ sourceId: 'new', targetId: film(2), happenedAt: 100 });
      upload(fileOf('new', [[film(3), { time: 400 }], [film(4), { time: 200 }], [film(5), { time: null }]]), fileOf('new', [[film(6), { time: 250 }]]), fileOf('other', [[film(7)]]));
      const { model: reader } = recommender;
      const order = recommender.recommend('new', options).history?.items.map((item) => reader.ids.get(reader.itemNode[item] ?? 0));
      expect(order).toEqual([5, 2, 4, 6, 1, 3].map(film));
    });
  });

  it('interactions count as events do: seen items leave the list, negative ones take likes back, and weights and ratings count', async () => {
    await withScene(({ recommender, list, send, upload }) => {
      const seen = list(user(3))[0] ?? '';
      upload(fileOf(user(3), [[seen]]), fileOf('new', [[film(6), { type: 'Not Interested' }], [film(5), { weight: 3 }], [film(9), { rated: true }]]));
      expect(list(user(3))).not.toContain(seen);
      const { history } = recommender.recommend('new', options);
      expect([history?.items.length, history?.weights, history?.dislikes]).toEqual([2, [0.01, 3], [-1]]);
      send({ sourceId: 'new', targetId: film(6), type: 'purchase' });
      const { history: later } = recommender.recommend('new', options);
      expect([later?.weights, later?.dislikes]).toEqual([[0.01, 3, 1], []]);
    });
  });

  it('that the training has read, whose tags it does not use, or that is too old for it, nothing changes', async () => {
    await withScene(({ recommender, upload }) => {
      const known = (batch: Partial<UploadedBatch>, time: number | null = 1e12): boolean => {
        upload(fileOf('new', [[film(5), { time }]], { tags: ['used'], sequence: 8, ...batch }));
        return recommender.knows('new');
      };
      expect([known({ sequence: 7 }), known({ sequence: 8 })]).toEqual([false, true]);
      expect([known({ tags: ['other'] }), known({ tags: ['other', 'used'] })]).toEqual([false, true]);
      expect([known({}, 1e12 - 1_001), known({}, 1e12 - 999), known({}, null)]).toEqual([false, true, true]);
      upload();
      expect(recommender.knows('new')).toBe(false);
    }, { eventsThrough: 0, batchesThrough: 7, dataTags: ['used'], maximumAgeMs: 1_000, weights: {}, filter: null });
  });

  it('trending items stay, because uploads may be of any time', async () => {
    await withScene(({ trending, upload }) => {
      const before = trending();
      upload(...Array.from({ length: 50 }, (_, at) => fileOf(`user ${at} of many`, [[before.at(-1) ?? '']])));
      expect(trending()).toEqual(before);
    });
  });

  it('of a source with many events, the newest 500 interactions of all count', async () => {
    await withScene(({ recommender, send, upload }) => {
      for (let at = 0; at < 600; at += 1) send({ sourceId: 'new', targetId: film(at < 50 ? 1 : at < 550 ? 2 : 3), happenedAt: at });
      upload(fileOf('new', [[film(4), { time: 1_000 }], [film(5), { time: 90 }]]));
      const { model: reader } = recommender;
      const order = recommender.recommend('new', options).history?.items.map((item) => reader.ids.get(reader.itemNode[item] ?? 0));
      expect(order).toEqual([2, 3, 4].map(film));
    });
  });
});
