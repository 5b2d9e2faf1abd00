import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { createRandom } from '../engine/linear/random.ts';
import { transpose } from '../engine/matrix/transpose.ts';
import type { SparseRows, TrainedModel } from '../engine/data/trainedModel.ts';

/** Parameters of a random model for tests. */
interface RandomModelShape {
  ids: readonly string[];
  types: number;
  /** Share of the nodes that are items. */
  itemShare: number;
  attributes: number;
  rank: number;
  seed: number;
}

/**
 * A model with all lists of a trained model and random content: lists grouped by type with descending values and scores. For
 * tests and benchmarks of the model file and the queries, which do not depend on the origin of the numbers.
 */
export function randomModel(shape: RandomModelShape): TrainedModel {
  const random = createRandom(shape.seed);
  const ids = [...shape.ids].sort((a, b) => Buffer.from(a).compare(Buffer.from(b)));
  const count = ids.length;
  const type = Int32Array.from(ids, () => Math.floor(random.uniform() * (shape.types + 1)) - 1);
  const isItem = ids.map(() => random.uniform() < shape.itemShare);
  const isUser = isItem.map((item) => (item ? random.uniform() < 0.1 : random.uniform() < 0.8));
  const [itemNode, nodeItem] = number(isItem);
  const [userNode, nodeUser] = number(isUser);
  const items = itemNode.length;
  const typeOfItem = (item: number) => type[itemNode[item] ?? 0] ?? -1;
  const history = rows(userNode.length, () => distinct(random, items, 12));
  const numbers = (length: number) => Float32Array.from({ length }, () => random.uniform() - 0.3);
  const attributes = rows(items, () => distinct(random, shape.attributes, 4));
  // Odd seeds produce a model with transitions.
  const timed = shape.seed % 2 !== 0;
  const { score: _, ...transitions } = neighbours(createRandom(shape.seed), items, typeOfItem, timed ? 15 : 0);
  return {
    setting: { pu: -0.5, pa: -0.5, pb: -0.2, T: 3, b: 0.3, ...(timed ? { recency: true, transitions: 0.3 } : {}) },
    seed: shape.seed,
    types: Array.from({ length: shape.types }, (_, at) => `type ${at}`),
    targetTypes: Int32Array.from(new Set(Int32Array.from(itemNode.keys(), typeOfItem))).sort(),
    nodes: {
      count,
      ids,
      type,
      names: ids.map((id) => (random.uniform() < 0.7 ? `Name of ${id}` : '')),
      mediaUrls: ids.map((_, at) => (random.uniform() < 0.3 ? `https://example.org/${at}` : '')),
      metadata: ids.map((_, at) => (at % 5 === 0 ? '' : JSON.stringify({ price: (at % 40) + 0.5, ...(at % 3 === 0 ? { genres: [`genre ${at % 7}`, 'all'] } : {}) }))),
    },
    itemNode,
    nodeItem,
    userNode,
    nodeUser,
    history: { ...history, time: new Float64Array(history.index.length).fill(Number.NaN), ...(shape.seed % 3 === 0 ? weightsOf(history, items, shape.seed) : {}) },
    audience: transpose(history, items),
    operator: neighbours(random, items, typeOfItem, 20),
    transitions,
    related: neighbours(random, items, typeOfItem, 10),
    rank: shape.rank,
    blended: true,
    embedding: numbers(items * shape.rank),
    vectors: numbers(items * shape.rank),
    eigenvalues: Float64Array.from({ length: shape.rank }, (_, k) => 1 / (k + 1)),
    historyCap: 500,
    contentWeight: Float32Array.from({ length: items }, () => random.uniform()),
    attributes: {
      ...attributes,
      value: numbers(attributes.index.length),
      field: Array.from({ length: shape.attributes }, (_, at) => `field ${at % 3}`),
      text: Array.from({ length: shape.attributes }, (_, at) => `text ${at}`),
      lift: numbers(shape.attributes),
      isCategory: Uint8Array.from({ length: shape.attributes }, (_, at) => at % 2),
    },
    ridge: numbers(shape.attributes * shape.rank),
    largestEigenvalue: items === 0 ? 0 : 1 + random.uniform(),
    relatedDivisor: Float32Array.from({ length: items }, () => random.uniform()),
    trend: Float32Array.from({ length: items }, () => Math.max(0, random.uniform() - 0.2)),
    rising: Uint8Array.from({ length: items }, () => (random.uniform() < 0.1 ? 1 : 0)),
    current: new Uint8Array(items).fill(1),
    newest: random.uniform() < 0.5 ? Number.NaN : 1.7e12,
    evaluation: null,
  };
}

/** Weights of the entries of a history, and dislikes of items that the history lacks. */
function weightsOf(history: SparseRows, items: number, seed: number): Pick<TrainedModel['history'], 'weight' | 'disliked'> {
  const random = createRandom(seed);
  let user = 0;
  const disliked = rows(history.pointer.length - 1, () => {
    const liked = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
    user += 1;
    return distinct(random, items, 4).filter((item) => !liked.includes(item)).sort((a, b) => a - b);
  });
  return {
    weight: Float32Array.from(history.index, () => 0.5 + 4 * random.uniform()),
    disliked: { ...disliked, value: Float32Array.from(disliked.index, () => -random.uniform()) },
  };
}

function number(marked: boolean[]): [Int32Array, Int32Array] {
  const numberOf = new Int32Array(marked.length).fill(-1);
  const nodes = [...marked.keys()].filter((node) => marked[node]);
  nodes.forEach((node, at) => (numberOf[node] = at));
  return [Int32Array.from(nodes), numberOf];
}

function distinct(random: SeededRandom, below: number, most: number): number[] {
  const wanted = Math.floor(random.uniform() * (most + 1));
  return [...new Set(Array.from({ length: below === 0 ? 0 : wanted }, () => Math.floor(random.uniform() * below)))];
}

function rows(count: number, row: () => number[]): { pointer: Float64Array; index: Int32Array } {
  const pointer = new Float64Array(count + 1);
  const index: number[] = [];
  for (let at = 0; at < count; at += 1) {
    index.push(...row());
    pointer[at + 1] = index.length;
  }
  return { pointer, index: Int32Array.from(index) };
}

function neighbours(random: SeededRandom, items: number, typeOfItem: (item: number) => number, most: number) {
  const { pointer, index } = rows(items, () => {
    const chosen = distinct(random, items, most);
    return chosen.sort((a, b) => typeOfItem(a) - typeOfItem(b));
  });
  const value = new Float32Array(index.length);
  const score = new Float32Array(index.length);
  for (let row = 0; row < items; row += 1) {
    const end = pointer[row + 1] ?? 0;
    for (let at = pointer[row] ?? 0, previous = -2; at < end; at += 1) {
      const type = typeOfItem(index[at] ?? 0);
      value[at] = random.uniform() * (type === previous ? (value[at - 1] ?? 1) : 1);
      score[at] = random.uniform() * (type === previous ? (score[at - 1] ?? 1) : 1);
      previous = type;
    }
  }
  return { pointer, index, value, score };
}
