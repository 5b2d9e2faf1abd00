import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelReader } from '../modelFile/openModel.ts';
import { randomModel } from '../../testing/randomModel.ts';
import type { TrainingData } from '../data/trainingData.ts';
import { explain } from './explain.ts';
import { filmData, trainOn } from '../../testing/filmData.ts';
import type { Ranking } from './ranking.ts';
import type { Reason } from './reason.ts';
import { Recommender } from './recommender.ts';
import { withModel } from '../../testing/withModel.ts';

/** Trained once for all tests that do not change the model. */
const films = filmData(60, 80, 5);
const filmsModel = trainOn(films);

const everything = { types: null, limit: 10_000, threshold: 0 };

/** Every reason must name users, items or attributes that are in the data. */
function expectTrue(reader: ModelReader, data: TrainingData, node: number, ranking: Ranking, reasons: Reason[][]): void {
  const has = (source: string, target: string) => pairsOf(data).has(`${source} ${target}`);
  expect(reasons.length).toBe(ranking.count);
  for (const [rank, own] of reasons.entries()) {
    const id = data.nodes.ids[reader.itemNode[ranking.item[rank] ?? -1] ?? -1] ?? '';
    const source = data.nodes.ids[node] ?? '';
    expect(own.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-9);
    expect(own.length).toBeLessThanOrEqual(3);
    for (const reason of own) {
      expect(reason.share >= 0.05 && reason.share <= 1, `share ${reason.share}`).toBe(true);
      expect(reason.text).toMatch(/\.$/);
      if (reason.kind === 'co_interaction') {
        const other = reason.through ?? source;
        expect(reason.ids.length).toBe(Math.min(10, reason.count));
        for (const user of reason.ids) expect([has(user, id), has(user, other)]).toEqual([true, true]);
        const common = data.nodes.ids.filter((user) => has(user, id) && has(user, other));
        expect(reason.count).toBe(common.length);
      } else if (reason.kind === 'attribute') {
        const nameOf = (node: string) => data.nodes.names[data.nodes.ids.indexOf(node)] ?? '';
        for (const { field, value } of [reason, ...(reason.together_with ?? [])]) {
          for (const node of [source, id]) {
            const known = field === 'name' ? nameOf(node) : metadataOf(data, node)[field];
            if (typeof known === 'number') expect(isWithin(known, value), `${known} in ${value}`).toBe(true);
            else expect([known].flat().join(' ').split(' ')).toEqual(expect.arrayContaining(value.split(' ')));
          }
        }
        if (reason.field === 'name' || typeof metadataOf(data, id)[reason.field] === 'number') continue;
        expect(reason.count).toBe(data.nodes.metadata.filter((text) => text.includes(JSON.stringify(reason.value))).length);
      } else if (reason.kind === 'history') {
        for (const item of reason.ids) expect(has(source, item)).toBe(true);
      }
    }
  }
}

function metadataOf(data: TrainingData, id: string): Record<string, unknown> {
  return JSON.parse(data.nodes.metadata[data.nodes.ids.indexOf(id)] || '{}') as Record<string, unknown>;
}

function isWithin(value: number, range: string): boolean {
  const [least = 0, most = least] = range.split('–').map(Number);
  return value >= least && value <= most;
}

const known = new WeakMap<TrainingData, Set<string>>();
function pairsOf(data: TrainingData): Set<string> {
  let pairs = known.get(data);
  if (pairs === undefined) {
    const id = (node: number | undefined) => data.nodes.ids[node ?? -1];
    pairs = new Set(Array.from(data.pairs.source, (source, at) => `${id(source)} ${id(data.pairs.target[at])}`));
    known.set(data, pairs);
  }
  return pairs;
}

/** The lists of the first films with their reasons, which must be true. */
function* explainedLists(reader: ModelReader, data: TrainingData, films: number): Generator<{ node: number; ranking: Ranking; reasons: Reason[][] }> {
  const recommender = new Recommender(reader);
  for (let node = 0; node < films; node += 1) {
    const ranking = recommender.recommend(node, everything);
    const reasons = explain(reader, node, ranking);
    expectTrue(reader, data, node, ranking, reasons);
    yield { node, ranking, reasons };
  }
}

describe('reasons', () => {
  test('name only what is in the data, with counts, and shares that add up to at most 1', async () => {
    const data = films;
    const kinds = new Set<string>();
    await withModel(filmsModel, (reader) => {
      const recommender = new Recommender(reader);
      for (let node = 0; node < data.nodes.count; node += 1) {
        const ranking = recommender.recommend(node, { ...everything, limit: 15 });
        expect(ranking.count).toBeGreaterThan(0);
        const reasons = explain(reader, node, ranking);
        expectTrue(reader, data, node, ranking, reasons);
        for (const reason of reasons.flat()) kinds.add('through' in reason ? 'through' : reason.kind);
      }
    });
    expect([...kinds].sort()).toEqual(['attribute', 'co_interaction', 'history', 'through']);
  });

  test('of a catalogue without interactions are shared attributes that carry the whole cosine', async () => {
    const data = filmData(30, 0, 1);
    await withModel(trainOn(data), (reader) => {
      const ranking = new Recommender(reader).recommend(0, everything);
      const reasons = explain(reader, 0, ranking);
      expectTrue(reader, data, 0, ranking, reasons);
      // Film 12 shares genre and shelf with film 0; film 4 shares only the genre, so without the genre no value remains.
      const of = (film: number) => reasons[[...ranking.item.subarray(0, ranking.count)].indexOf(film)];
      expect(of(12)?.map((reason) => 'field' in reason && reason.field).sort()).toEqual(['genre', 'shelf']);
      expect(of(4)).toEqual([{ kind: 'attribute', field: 'genre', value: 'genre 0', count: 8, share: 1, text: 'Same genre as “film 000”: genre 0.' }]);
    });
  });

  test('of items with long lists of tags name together the tags that none carries alone', async () => {
    const { nodes, ...rest } = filmData(30, 0, 1);
    const tags = Array.from({ length: 40 }, (_, tag) => `tag${tag}`);
    const data = { ...rest, nodes: { ...nodes, metadata: nodes.metadata.map(() => JSON.stringify({ tags })) } };
    await withModel(trainOn(data), (reader) => {
      const ranking = new Recommender(reader).recommend(0, everything);
      const reasons = explain(reader, 0, ranking);
      expectTrue(reader, data, 0, ranking, reasons);
      expect(reasons.length).toBe(29);
      for (const [reason] of reasons) expect(reason?.text).toMatch(/^Same tags as “film 000”: tag\d+, tag\d+, tag\d+ and \d+ others\.$/);
    });
  });

  test('of items whose names have the same words in common name the words together, and without them the item falls', async () => {
    const { nodes, ...rest } = filmData(60, 80, 5);
    const named = (without: number) => ({ ...rest, nodes: { ...nodes, names: nodes.names.map((_, node) => (node >= 60 || node === without ? '' : `Strong Cheese ${node}`)), metadata: nodes.metadata.map(() => '') } });
    const data = named(-1);
    const tried: { source: number; target: number; value: number; rank: number; share: number }[] = [];
    await withModel(trainOn(data), (reader) => {
      for (const { node, ranking, reasons } of explainedLists(reader, data, 60)) {
        expect(reasons.flatMap((own, rank) => (own.length === 0 ? [rank] : [])), data.nodes.ids[node]).toEqual([]);
        for (const [rank, own] of reasons.entries()) {
          const [reason] = own.filter((reason) => 'together_with' in reason);
          if (reason === undefined) continue;
          expect(reason.text).toMatch(/^The name contains “(Strong|Cheese)” and “(Strong|Cheese)”, like “Strong Cheese \d+”\.$/);
          tried.push({ source: node, target: reader.itemNode[ranking.item[rank] ?? -1] ?? -1, value: ranking.value[rank] ?? 0, rank, share: reason.share });
        }
      }
    });
    expect(tried.length).toBeGreaterThan(5);
    for (const { source, target, value, rank, share } of tried.filter((_, at) => at % 15 === 0)) {
      await withModel(trainOn(named(target)), (reader) => {
        const ranking = new Recommender(reader).recommend(source, everything);
        const after = [...ranking.item.subarray(0, ranking.count)].indexOf(reader.nodeItem[target] ?? -1);
        expect(after < 0 || after > rank, `rank ${rank} to ${after}`).toBe(true);
        expect(1 - (after < 0 ? 0 : (ranking.value[after] ?? 0)) / value, `${share} claimed`).toBeGreaterThan(share / 2);
      });
    }
  });

  test('of an item nobody touched are its attributes', async () => {
    await withModel(filmsModel, (reader) => {
      const ranking = new Recommender(reader).recommend(59, everything);
      const reasons = explain(reader, 59, ranking);
      expect(ranking.count).toBeGreaterThan(10);
      const strongest = reasons[0]?.find(({ kind }) => kind === 'attribute');
      const cold = [...ranking.item.subarray(0, ranking.count)].findIndex((item) => item >= 50);
      expect(reasons[cold]?.map(({ kind }) => kind)).toContain('attribute');
      expect(strongest ?? reasons[cold]?.[0]).toMatchObject({ field: 'genre', value: 'genre 3' });
    });
  });

  test('from numbers name a range that contains the values of both items', async () => {
    const { nodes, ...rest } = filmData(60, 80, 5);
    const metadata = nodes.metadata.map((text, film) => (text === '' ? '' : JSON.stringify({ year: 1950 + (film % 4) * 12 + (film % 12) })));
    const data = { ...rest, nodes: { ...nodes, metadata } };
    let ranges = 0;
    await withModel(trainOn(data), (reader) => {
      for (const { reasons } of explainedLists(reader, data, 60)) {
        ranges += reasons.flat().filter(({ kind }) => kind === 'attribute').length;
      }
    });
    expect(ranges).toBeGreaterThan(20);
  });

  test('from long texts and names say which word both contain, numbers too, and do not call the texts the same', async () => {
    const { nodes, ...rest } = filmData(60, 80, 5);
    const about = (film: number) => ({ plot: `A plot of ${'many '.repeat(12)} words, number ${film}, about genre${film % 4} in ${1900 + (film % 4)}`, year: 1950 + (film % 4) });
    const metadata = nodes.metadata.map((text, film) => (text === '' ? '' : JSON.stringify(about(film))));
    const texts = new Set<string>();
    await withModel(trainOn({ ...rest, nodes: { ...nodes, metadata } }), (reader) => {
      const recommender = new Recommender(reader);
      for (let film = 0; film < 60; film += 1) {
        for (const reason of explain(reader, film, recommender.recommend(film, everything)).flat()) {
          if (reason.kind !== 'attribute') continue;
          expect(reason.word).toBe(reason.field === 'plot' ? true : undefined);
          texts.add(reason.text.replace(/“film \d+”/, '“film”'));
        }
      }
    });
    expect([...texts]).toEqual(expect.arrayContaining(['The plot contains “genre0”, like “film”.', 'The plot contains “1900”, like “film”.', 'Same year as “film”: 1950.']));
    expect([...texts].filter((text) => text.startsWith('Same plot'))).toEqual([]);
  });

  test('of a long history name together the items that none carries alone', async () => {
    const data = filmData(400, 60, 5);
    await withModel(trainOn(data), (reader) => {
      const recommender = new Recommender(reader);
      const node = reader.findNode('user 003');
      const ranking = recommender.recommend(node, everything);
      const reasons = explain(reader, node, ranking);
      expectTrue(reader, data, node, ranking, reasons);
      expect(reasons.filter((own) => own.length === 0)).toEqual([]);
      const shared = reasons.flat().filter(({ count }) => count > 1);
      expect(shared.length).toBeGreaterThan(0);
      for (const { text, count } of shared) expect(text).toMatch(count === 2 ? / and / : count === 3 ? /, .* and / : / and (one other|\d+ others)\.$/);
    });
  });

  test('of trending items say so', async () => {
    const data = filmData(20, 30, 2);
    await withModel(trainOn(data), (reader) => {
      const ranking = new Recommender(reader).trending(everything);
      const reasons = explain(reader, -1, ranking);
      expect(ranking.count).toBeGreaterThan(0);
      for (const [rank, own] of reasons.entries()) {
        const target = data.nodes.ids[reader.itemNode[ranking.item[rank] ?? -1] ?? -1];
        const count = [...pairsOf(data)].filter((pair) => pair.endsWith(` ${target}`)).length;
        expect(own).toEqual([{ kind: 'trending', count, share: 1, text: count === 1 ? 'Chosen by one person.' : `Chosen by ${count} people.` }]);
      }
    });
  });

  test('hold when tried: without the common users the item falls, by about the share claimed', async () => {
    const data = films;
    const source = 0;
    const claims: { target: number; rank: number; value: number; share: number; users: Set<string> }[] = [];
    await withModel(filmsModel, (reader) => {
      const ranking = new Recommender(reader).recommend(source, everything);
      for (const [rank, own] of explain(reader, source, ranking).slice(0, 5).entries()) {
        const target = reader.itemNode[ranking.item[rank] ?? -1] ?? -1;
        const [reason] = own.filter(({ kind }) => kind === 'co_interaction');
        const id = data.nodes.ids[target];
        const users = data.nodes.ids.filter((user) => pairsOf(data).has(`${user} film 000`) && pairsOf(data).has(`${user} ${id}`));
        claims.push({ target, rank, value: ranking.value[rank] ?? 0, share: reason?.share ?? 0, users: new Set(users.map((user) => `${user} ${id}`)) });
      }
    });
    for (const { target, rank, value, share, users } of claims) {
      await withModel(trainOn(filmData(60, 80, 5, users)), (reader) => {
        const ranking = new Recommender(reader).recommend(source, everything);
        const after = [...ranking.item.subarray(0, ranking.count)].indexOf(reader.nodeItem[target] ?? -1);
        expect(after < 0 || after > rank, `rank ${rank} to ${after}`).toBe(true);
        expect(1 - (after < 0 ? 0 : (ranking.value[after] ?? 0)) / value).toBeCloseTo(share, 0);
      });
    }
  });

  test('are well-formed for any model', async () => {
    const shape = fc.record({
      ids: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 40 }),
      types: fc.integer({ min: 0, max: 2 }),
      itemShare: fc.double({ min: 0, max: 1, noNaN: true }),
      attributes: fc.integer({ min: 0, max: 6 }),
      rank: fc.integer({ min: 0, max: 4 }),
      seed: fc.integer(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async (shape) => {
        const model = randomModel(shape);
        await withModel(model, (reader) => {
          const recommender = new Recommender(reader);
          for (let node = 0; node < model.nodes.count; node += 1) {
            const ranking = recommender.recommend(node, everything);
            for (const own of explain(reader, node, ranking)) {
              expect(own.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-9);
              for (const { share } of own) expect(share >= 0.05 && share <= 1, `share ${share}`).toBe(true);
            }
          }
        });
      }),
      { numRuns: 25 },
    );
  });
});

test('a film with a single user has a reason for each of the first 50 related films, also where the same reason leads to all of them', async () => {
  const seen = new Set<string>();
  const more = [...pairsOf(filmData(120, 120, 1))].filter((pair) => {
    const film = pair.slice(-'film 000'.length);
    const isMore = film < 'film 012' && seen.has(film);
    seen.add(film);
    return isMore;
  });
  const data = filmData(120, 120, 1, new Set(more));
  await withModel(trainOn(data), (reader) => {
    for (const { node, reasons } of explainedLists(reader, data, 12)) {
      expect(reasons.slice(0, 50).filter((own) => own.length === 0), data.nodes.ids[node]).toEqual([]);
    }
  });
});
