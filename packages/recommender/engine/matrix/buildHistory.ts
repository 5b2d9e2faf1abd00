import type { Catalogue } from '../catalogue/numberItems.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { TrainingData } from '../data/trainingData.ts';

/** Histories in time order, oldest first; `time` in ms, NaN if unknown. */
export type History = SparseRows & { time: Float64Array };

/**
 * Builds the full binary matrix users × items. If a user is also an item (film → film links), the user's row begins with the
 * user itself, without a time, so that the items it links to become its neighbours.
 */
export function buildHistory(data: TrainingData, catalogue: Catalogue): History {
  const { pairs } = data;
  const users = catalogue.userNode.length;
  const pointer = new Float64Array(users + 1);
  for (let pair = 0; pair < pairs.count; pair++) {
    const user = catalogue.nodeUser[pairs.source[pair] as number] as number;
    pointer[user + 1] = (pointer[user + 1] as number) + 1;
  }
  for (let user = 0; user < users; user++) {
    const own = ownItem(catalogue, user) < 0 ? 0 : 1;
    pointer[user + 1] = (pointer[user + 1] as number) + (pointer[user] as number) + own;
  }
  const index = new Int32Array(pointer[users] as number);
  const time = new Float64Array(index.length);
  let pair = 0;
  for (let user = 0; user < users; user++) {
    let entry = pointer[user] as number;
    const own = ownItem(catalogue, user);
    if (own >= 0) {
      index[entry] = own;
      time[entry] = Number.NaN;
      entry++;
    }
    const node = catalogue.userNode[user];
    for (; entry < (pointer[user + 1] as number); entry++, pair++) {
      if (pairs.source[pair] !== node) throw new Error(`pair ${pair} is not sorted by source`);
      index[entry] = catalogue.nodeItem[pairs.target[pair] as number] as number;
      const at = pairs.time[pair] as number;
      time[entry] = Number.isFinite(at) ? at : Number.NaN;
    }
  }
  return { pointer, index, time };
}

/** Item number of a user that is also an item, otherwise -1. */
export function ownItem(catalogue: Catalogue, user: number): number {
  return catalogue.nodeItem[catalogue.userNode[user] as number] as number;
}
