import { createRandom } from '../linear/random.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { TrainingData } from '../data/trainingData.ts';

/** Memory in bytes that the threads of one training share: WebAssembly's limit of 4 GB, less a tenth for scratch memory. */
const sharedBytes = 0.9 * 2 ** 32;
/** Bytes per item: a row of 288 single-precision vectors, a row of two panels with 32 columns each, and degrees. */
const itemBytes = 4 * (288 + 2 * 32) + 32;
/** Bytes per interaction: one entry in the user's row and one in the item's audience. */
const entryBytes = 8;
const userBytes = 16;
/** Smallest share of users to sample; fewer users carry too little information about millions of items. */
const smallestShare = 0.01;

/**
 * Share of the users whose interactions fit into the memory for computing factors; 1 if all interactions fit. Factors of a
 * sample order lists almost as well as factors of all users (bench/results/factor-sample.md).
 */
export function fittingShare(users: number, items: number, interactions: number): number {
  const share = (sharedBytes - items * itemBytes) / (interactions * entryBytes + users * userBytes);
  return Math.max(smallestShare, Math.min(1, share));
}

/** Marks each number below `count` with 1, independently and with probability `share`. */
function draw(count: number, share: number, seed: number): Uint8Array {
  const random = createRandom(seed);
  const drawn = new Uint8Array(count);
  for (let number = 0; number < count; number++) drawn[number] = random.uniform() < share ? 1 : 0;
  return drawn;
}

/** Rows of a random share of the users, without empty rows for the other users; returns `rows` itself for a share of 1. */
export function sampleRows(rows: SparseRows, share: number, seed: number): SparseRows {
  if (share >= 1) return rows;
  const drawn = draw(rows.pointer.length - 1, share, seed);
  const pointer = new Float64Array(drawn.reduce((sum, mark) => sum + mark, 1));
  const index = new Int32Array(drawn.reduce((sum, mark, row) => sum + mark * ((rows.pointer[row + 1] as number) - (rows.pointer[row] as number)), 0));
  let kept = 0;
  for (let row = 0; row < drawn.length; row++) {
    if (drawn[row] === 0) continue;
    const start = pointer[kept++] as number;
    index.set(rows.index.subarray(rows.pointer[row], rows.pointer[row + 1]), start);
    pointer[kept] = start + (rows.pointer[row + 1] as number) - (rows.pointer[row] as number);
  }
  return { pointer, index };
}

/** The same data with only the pairs of a random share of the source nodes; returns `data` itself for a share of 1. */
export function samplePairs(data: TrainingData, share: number, seed: number): TrainingData {
  if (share >= 1) return data;
  const drawn = draw(data.nodes.count, share, seed);
  const { source, target, time } = data.pairs;
  const isKept = (_: number, pair: number): boolean => drawn[source[pair] as number] === 1;
  const kept = source.filter(isKept);
  return { ...data, pairs: { count: kept.length, source: kept, target: target.filter(isKept), time: time.filter(isKept) } };
}
