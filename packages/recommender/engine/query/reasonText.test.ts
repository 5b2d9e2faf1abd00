import { describe, expect, it } from 'vitest';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withScene } from '../../testing/recentScene.ts';
import { withModel } from '../../testing/withModel.ts';
import { explain } from './explain.ts';
import { Recommender } from './recommender.ts';

const options = { types: null, limit: 30, threshold: 0 };

describe('items with the same name', () => {
  it('have their ids in a reason where the reader could not tell them apart', async () => {
    const { nodes, ...rest } = filmData(60, 80, 5);
    const data = { ...rest, nodes: { ...nodes, names: nodes.names.map((_, node) => (node >= 60 ? '' : node < 6 ? 'Bearing M10' : `Bearing ${node}`)) } };
    await withModel(trainOn(data), (reader) => {
      const recommender = new Recommender(reader);
      let [told, plain] = [0, 0];
      for (const node of [0, 1, 7, reader.findNode('user 003')]) {
        const ranking = recommender.recommend(node, options);
        for (const [rank, own] of explain(reader, node, ranking).entries()) {
          const target = reader.itemNode[ranking.item[rank] ?? -1] ?? -1;
          for (const { text, ...reason } of own) {
            const named = reason.kind === 'history' ? reason.ids.map((id) => reader.findNode(id)) : [node, 'through' in reason ? reader.findNode(reason.through ?? '') : -1];
            const alike = named.filter((each) => each >= 0 && each < 6).length;
            // The recommended item, or another item of the sentence, has the name too.
            const unclear = alike > 0 && (target < 6 || alike > 1);
            for (const each of named.filter((each) => each >= 0 && each < 6)) expect(text.includes(`“Bearing M10” (${reader.ids.get(each)})`), text).toBe(unclear);
            if (unclear) told += 1;
            else plain += 1;
            expect(text).not.toMatch(/“Bearing \d+” \(/);
          }
        }
      }
      expect(told).toBeGreaterThan(5);
      expect(plain).toBeGreaterThan(20);
    });
  });
});

it('a reason through a third item names one that the source has a tie to without the recommended item', async () => {
  const data = filmData(60, 80, 5);
  await withModel(trainOn(data), (reader) => {
    const recommender = new Recommender(reader);
    const usersOf = (node: number): number[] => [...data.pairs.source].filter((_, pair) => data.pairs.target[pair] === node);
    let found = 0;
    for (let node = 0; node < 60; node += 1) {
      for (const reason of explain(reader, node, recommender.recommend(node, { ...options, limit: 60 })).flat()) {
        if (!('through' in reason)) continue;
        const third = reader.findNode(reason.through ?? '');
        const tied = third % 4 === node % 4 || third % 3 === node % 3 || usersOf(third).some((user) => usersOf(node).includes(user));
        expect(tied, `${data.nodes.ids[node]} through ${reason.through}`).toBe(true);
        found += 1;
      }
    }
    expect(found).toBeGreaterThan(10);
  });
});

describe('a reason of a trending item', () => {
  const textsOf = async (ageDays: (film: number) => number): Promise<Map<number, string>> => {
    const { pairs, ...rest } = filmData(40, 60, 3);
    const time = Float64Array.from(pairs.target, (film) => 1e12 - ageDays(film) * 86_400_000);
    return withModel(trainOn({ ...rest, pairs: { ...pairs, time } }), (reader) => {
      const ranking = new Recommender(reader).trending({ ...options, limit: 100 });
      const reasons = explain(reader, -1, ranking);
      return new Map(reasons.map(([reason], rank) => [reader.itemNode[ranking.item[rank] ?? -1] ?? -1, reason?.text ?? '']));
    });
  };

  it('says that the item is trending now only if somebody chose it of late', async () => {
    const texts = await textsOf((film) => (film < 15 ? 0 : 200));
    expect(texts.size).toBe(30);
    for (const [film, text] of texts) expect(text, `film ${film}`).toMatch(film < 15 ? /^Trending now, chosen by (one person|\d+ people)\.$/ : /^Chosen by (one person|\d+ people)\.$/);
  });

  it('says so of no item without known times', async () => {
    const texts = await textsOf(() => Number.NaN);
    expect(texts.size).toBe(30);
    expect([...texts.values()].filter((text) => text.startsWith('Trending'))).toEqual([]);
  });

  it('says so of an item that somebody chose since the training', async () => {
    await withScene(({ recommender, send }) => {
      const { model } = recommender;
      const texts = (): Map<string, string> => {
        const ranking = recommender.trending({ ...options, limit: 20 });
        return new Map(explain(model, -1, ranking, recommender.recent).map(([reason], rank) => [model.ids.get(model.itemNode[ranking.item[rank] ?? -1] ?? -1), reason?.text ?? '']));
      };
      const [first = ''] = texts().keys();
      expect(texts().get(first)).toMatch(/^Chosen by/);
      send({ sourceId: 'new', targetId: first });
      expect(texts().get(first)).toMatch(/^Trending now/);
    });
  });
});
