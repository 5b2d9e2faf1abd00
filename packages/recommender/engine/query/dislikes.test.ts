import { describe, expect, test } from 'vitest';
import { defaultSetting } from '../data/defaultSetting.ts';
import { computeFactors } from '../factors/computeFactors.ts';
import { computeNeighbours } from '../neighbours/computeNeighbours.ts';
import { evaluate } from '../evaluation/evaluate.ts';
import { filmData } from '../../testing/filmData.ts';
import { trainingData, twoBlocks, type EntityRow, type PairRow } from '../../testing/testData.ts';
import { withModel } from '../../testing/withModel.ts';
import { explain } from './explain.ts';
import { Recommender } from './recommender.ts';
import type { TrainedModel } from '../data/trainedModel.ts';
import type { TrainingData } from '../data/trainingData.ts';

type Dislike = readonly [source: string, target: string, weight: number];

/** Adds dislikes, whose nodes must be in the data, and weights of likes by "source target". */
function withOpinions(data: TrainingData, dislikes: readonly Dislike[], weights: Readonly<Record<string, number>> = {}): TrainingData {
  const node = (id: string): number => data.nodes.ids.indexOf(id);
  const { pairs, nodes } = data;
  const weight = Float32Array.from(pairs.source, (source, at) => weights[`${nodes.ids[source]} ${nodes.ids[pairs.target[at] as number]}`] ?? 1);
  return {
    ...data,
    pairs: Object.keys(weights).length === 0 ? pairs : { ...pairs, weight },
    ...(dislikes.length === 0 ? {} : {
      dislikes: {
        count: dislikes.length,
        source: Int32Array.from(dislikes, ([source]) => node(source)),
        target: Int32Array.from(dislikes, ([, target]) => node(target)),
        weight: Float32Array.from(dislikes, ([, , weight]) => weight),
      },
    }),
  };
}

function trained(data: TrainingData): TrainedModel {
  const options = { setting: defaultSetting, seed: 1 };
  return computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
}

async function listOf(data: TrainingData, source: string, limit = 100): Promise<Map<string, number>> {
  return withModel(trained(data), (reader) => {
    const recommender = new Recommender(reader);
    const { count, item, score } = recommender.recommend(reader.findNode(source), { types: null, limit, threshold: 0 });
    return new Map(Array.from({ length: count }, (_, at) => [reader.ids.get(reader.itemNode[item[at] ?? 0] ?? 0), score[at] ?? 0]));
  });
}

const { entities, pairs } = twoBlocks();
/** A user between both genres. */
const both: PairRow[] = [...pairs, ['u', 'crime-0'], ['u', 'crime-1'], ['u', 'romance-0'], ['u', 'romance-1']];
const data = trainingData([...entities, ['lonely', 'person']], both);

describe('a disliked item', () => {
  test('is not recommended, and takes items like it down', async () => {
    const films = filmData(160, 90, 7);
    const lowered: number[] = [];
    for (const user of ['user 003', 'user 010', 'user 021', 'user 040']) {
      const before = await listOf(films, user);
      // Films from 150 on have no interactions, so no likes connect them with others.
      const best = [...before.keys()].find((id) => id < 'film 150') ?? '';
      const after = await listOf(withOpinions(films, [[user, best, -1]]), user);
      expect(after.has(best)).toBe(false);
      const like = [...(await listOf(films, best, 20)).keys()].filter((id) => before.has(id));
      const places = [before, after].map((list) => like.map((id) => ([...list.keys()].indexOf(id) + 1 || 101)));
      const [earlier = 0, later = 0] = places.map((each) => each.reduce((sum, place) => sum + place, 0) / each.length);
      lowered.push(later - earlier);
    }
    // The list closes the gap of one place.
    expect(Math.min(...lowered)).toBeGreaterThan(-1);
    expect(lowered.reduce((sum, places) => sum + places, 0)).toBeGreaterThan(4);
  });

  test('changes no list of other users and no related items', async () => {
    const changed = withOpinions(data, [['u', 'romance-2', -1]]);
    for (const source of ['crime-user-3', 'romance-2', 'crime-0']) expect(await listOf(changed, source)).toEqual(await listOf(data, source));
  });

  test('is left out of lists of every length, and for a user who likes nothing, out of trending items', async () => {
    const timed = trainingData([...entities, ['lonely', 'person']], pairs.map(([source, target]) => [source, target, 1e12] as const));
    const changed = withOpinions(timed, [['lonely', 'crime-0', -1]]);
    for (const limit of [3, 100, 500]) {
      const list = await listOf(changed, 'lonely', limit);
      expect(list.size).toBeGreaterThan(0);
      expect(list.has('crime-0')).toBe(false);
    }
  });

  test('does not count as a like of its user in the evaluation', () => {
    const options = { setting: defaultSetting, seed: 1 };
    const evaluation = evaluate(withOpinions(data, [['u', 'romance-2', -1]]), options, () => {});
    expect(evaluation?.users).toBe(evaluate(data, options, () => {})?.users);
  });
});

describe('an interaction with more weight', () => {
  test('takes items like it up, and is a larger reason', async () => {
    const weights = { 'u crime-0': 5, 'u crime-1': 5 };
    const list = await listOf(withOpinions(data, [], weights), 'u');
    expect([...list.keys()].slice(0, 4).every((id) => id.startsWith('crime'))).toBe(true);
    const opposite = await listOf(withOpinions(data, [], { 'u romance-0': 5, 'u romance-1': 5 }), 'u');
    expect([...opposite.keys()].slice(0, 4).every((id) => id.startsWith('romance'))).toBe(true);
    const share = (from: TrainingData): Promise<number> => withModel(trained(from), (reader) => {
      const recommender = new Recommender(reader);
      const node = reader.findNode('u');
      const reasons = explain(reader, node, recommender.recommend(node, { types: null, limit: 100, threshold: 0 }));
      return reasons[0]?.[0]?.share ?? 0;
    });
    expect(await share(withOpinions(data, [], { 'u crime-0': 50 }))).toBeGreaterThan(await share(data));
  });

  test('of the same size for all gives the same lists as none', async () => {
    const same = Object.fromEntries(both.map(([source, target]) => [`${source} ${target}`, 2]));
    expect(await listOf(withOpinions(data, [], same), 'u')).toEqual(await listOf(data, 'u'));
  });
});

describe('odd data gives lists:', () => {
  const few: EntityRow[] = [['a', 'film', '', { genre: 'x' }], ['b', 'film', '', { genre: 'x' }]];
  test.each<[string, TrainingData, string]>([
    ['all interactions negative', withOpinions(trainingData([...few, ['u', 'person']], []), [['u', 'a', -1], ['u', 'b', -1]]), 'a'],
    ['one user with one like and one dislike', withOpinions(trainingData([...few, ['u', 'person']], [['u', 'a']]), [['u', 'b', -1]], { 'u a': 100 }), 'u'],
    ['one item', withOpinions(trainingData([['a', 'film'], ['v', 'person']], [['u', 'a']]), [['v', 'a', -1]]), 'v'],
    ['every user alike', withOpinions(trainingData([...few, ['c', 'film']], ['u', 'v', 'w'].flatMap((user) => [[user, 'a'], [user, 'b']] as PairRow[])), ['u', 'v', 'w'].map((user) => [user, 'c', -1] as const)), 'u'],
  ])('%s', async (_, odd, source) => {
    const list = await listOf(odd, source);
    for (const score of list.values()) expect(score).toBeGreaterThanOrEqual(0);
  });

  test('dislikes without any like are not read as users', async () => {
    const base = trainingData([...few, ['u', 'person']], []);
    expect([...(await listOf(withOpinions(base, [['u', 'a', -1]]), 'a')).keys()]).toEqual(['b']);
  });
});
