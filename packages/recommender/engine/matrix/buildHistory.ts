import type { Catalogue } from '../catalogue/numberItems.ts';
import type { TrainedModel, WeightedRows } from '../data/trainedModel.ts';
import type { TrainingData } from '../data/trainingData.ts';

/** Histories in time order, oldest first; `time` in ms, NaN if unknown. With the weights and dislikes of the data, if there are any. */
export type History = TrainedModel['history'];

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
  const weight = pairs.weight === undefined ? undefined : new Float32Array(index.length).fill(1);
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
      if (weight !== undefined) weight[entry] = pairs.weight?.[pair] ?? 1;
    }
  }
  const disliked = buildDislikes(data, catalogue);
  return { pointer, index, time, ...(weight === undefined ? {} : { weight }), ...(disliked === null ? {} : { disliked }) };
}

/** Dislikes as rows of users. Disliked nodes that cannot be recommended are left out. Null if nothing is left. */
function buildDislikes({ dislikes }: TrainingData, catalogue: Catalogue): WeightedRows | null {
  const users = catalogue.userNode.length;
  if (dislikes === undefined || users === 0) return null;
  const kept = Array.from(dislikes.target.keys()).filter((place) => catalogue.nodeItem[dislikes.target[place] as number] as number >= 0);
  if (kept.length === 0) return null;
  const itemOf = (place: number): number => catalogue.nodeItem[dislikes.target[place] as number] as number;
  kept.sort((a, b) => (dislikes.source[a] as number) - (dislikes.source[b] as number) || itemOf(a) - itemOf(b));
  const pointer = new Float64Array(users + 1);
  for (const place of kept) {
    const user = catalogue.nodeUser[dislikes.source[place] as number] as number;
    pointer[user + 1] = (pointer[user + 1] as number) + 1;
  }
  for (let user = 0; user < users; user++) pointer[user + 1] = (pointer[user + 1] as number) + (pointer[user] as number);
  return {
    pointer,
    index: Int32Array.from(kept, itemOf),
    value: Float32Array.from(kept, (place) => dislikes.weight[place] as number),
  };
}

/** Item number of a user that is also an item, otherwise -1. */
export function ownItem(catalogue: Catalogue, user: number): number {
  return catalogue.nodeItem[catalogue.userNode[user] as number] as number;
}
