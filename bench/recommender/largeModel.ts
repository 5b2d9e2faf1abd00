import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { transpose } from '../../packages/recommender/engine/matrix/transpose.ts';
import { noTransitions } from '../../packages/recommender/engine/time/transitionRows.ts';

const neighbours = 100;
const rank = 64;

/** Content of a large model. */
interface LargeModelShape {
  items: number;
  /** Items in the history of each user. */
  historyLength: number;
  /** Distance of the numbers of two neighbours in a list. */
  stride: number;
  /** Metadata of an item or a user as JSON; empty for none. */
  metadata: (kind: 'item' | 'user', number: number) => string;
}

/** Generates a model with a tenth as many users as items, and 100 neighbours per item. Its numbers are arbitrary: it is for measurements of time and memory. */
export function generateLargeModel({ items, historyLength, stride, metadata }: LargeModelShape): TrainedModel {
  const random = createRandom(1);
  const users = items / 10;
  const rows = (count: number, length: number): Float64Array => Float64Array.from({ length: count + 1 }, (_, row) => row * length);
  const list = () => ({
    pointer: rows(items, neighbours),
    index: Int32Array.from({ length: items * neighbours }, (_, place) => (Math.floor(place / neighbours) + 1 + stride * (place % neighbours)) % items),
    value: Float32Array.from({ length: items * neighbours }, (_, place) => 1 / (1 + (place % neighbours))),
    score: Float32Array.from({ length: items * neighbours }, (_, place) => 1 / (1 + (place % neighbours))),
  });
  const history = { pointer: rows(users, historyLength), index: Int32Array.from({ length: users * historyLength }, () => random.below(items)), time: new Float64Array(users * historyLength).fill(Number.NaN) };
  const ids = Array.from({ length: items + users }, (_, node) => `${node < items ? 'item' : 'user'}-${String(node).padStart(9, '0')}`);
  const numbers = (from: number, count: number): Int32Array => Int32Array.from(ids, (_, node) => (node >= from && node < from + count ? node - from : -1));
  return {
    setting: defaultSetting, seed: 1, types: [], targetTypes: Int32Array.of(-1),
    nodes: { count: ids.length, ids, type: new Int32Array(ids.length).fill(-1), names: ids.map((id) => `Name of ${id}`), mediaUrls: ids.map(() => ''), metadata: ids.map((_, node) => (node < items ? metadata('item', node) : metadata('user', node - items))) },
    itemNode: Int32Array.from({ length: items }, (_, item) => item), nodeItem: numbers(0, items),
    userNode: Int32Array.from({ length: users }, (_, user) => items + user), nodeUser: numbers(items, users),
    history, audience: transpose(history, items), historyCap: 500,
    operator: list(), related: list(), transitions: noTransitions(items),
    rank, vectors: Float32Array.from({ length: items * rank }, () => random.uniform() - 0.5), eigenvalues: new Float64Array(rank).fill(0.5),
    blended: false, embedding: new Float32Array(0), contentWeight: new Float32Array(items),
    attributes: {
      pointer: new Float64Array(items + 1), index: new Int32Array(0), value: new Float32Array(0), field: [], text: [], lift: new Float32Array(0), isCategory: new Uint8Array(0),
    },
    ridge: new Float32Array(0), largestEigenvalue: 1, relatedDivisor: new Float32Array(items).fill(1), trend: new Float32Array(items).fill(0.5),
    rising: new Uint8Array(items), newest: Number.NaN, evaluation: null,
  };
}
