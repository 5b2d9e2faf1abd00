import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { ownItem } from '../matrix/buildHistory.ts';
import { growingIntegers } from '../matrix/growingArray.ts';
import { createRandom } from '../linear/random.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { SparseRows } from '../data/trainedModel.ts';

const heldOutShare = 0.1;
/** A user with fewer items would have no history left to recommend from. */
const minItems = 2;

export interface Split {
  train: History;
  /** Held-out items of each user; the row is empty for a user with too few items. */
  test: SparseRows;
}

/**
 * Holds out the last tenth (at least one) of each user's items, or random items if none of the user's times is known. If the
 * user is an item too, the user's row begins with the user itself, and this entry is never held out.
 * @param redrawn users whose random items are drawn again, with a seed of their own; all others have the items that they have without
 */
export function splitHistory(history: History, catalogue: Catalogue, seed: number, redrawn?: { users: Int32Array; seed: number }): Split {
  const users = history.pointer.length - 1;
  const random = createRandom(seed);
  const again = createRandom(redrawn?.seed ?? seed);
  const isRedrawn = new Uint8Array(users);
  for (const user of redrawn?.users ?? []) isRedrawn[user] = 1;
  const heldOut = new Uint8Array(history.index.length);
  for (let user = 0; user < users; user++) {
    const start = (history.pointer[user] as number) + (ownItem(catalogue, user) < 0 ? 0 : 1);
    const end = history.pointer[user + 1] as number;
    const count = end - start;
    if (count < minItems) continue;
    const wanted = Math.max(1, Math.round(heldOutShare * count));
    // Unknown times sort first, so the last time is unknown only if all times are unknown.
    if (Number.isNaN(history.time[end - 1])) {
      markRandom(heldOut, start, count, wanted, random);
      if (isRedrawn[user] === 1) markRandom(heldOut.fill(0, start, end), start, count, wanted, again);
    } else {
      heldOut.fill(1, end - wanted, end);
    }
  }
  const train = pick(history, heldOut, 0);
  const time = new Float64Array(train.index.length);
  const weight = new Float32Array(history.weight === undefined ? 0 : train.index.length);
  for (let entry = 0, kept = 0; entry < heldOut.length; entry++) {
    if (heldOut[entry] === 1) continue;
    time[kept] = history.time[entry] as number;
    if (history.weight !== undefined) weight[kept] = history.weight[entry] as number;
    kept++;
  }
  const { disliked } = history;
  return {
    train: { ...train, time, ...(history.weight === undefined ? {} : { weight }), ...(disliked === undefined ? {} : { disliked }) },
    test: pick(history, heldOut, 1),
  };
}

/** Marks `wanted` random entries, beginning at `start` (selection sampling, Knuth 3.4.2 S). */
function markRandom(marks: Uint8Array, start: number, count: number, wanted: number, random: SeededRandom): void {
  let missing = wanted;
  for (let place = 0; place < count && missing > 0; place++) {
    if (random.uniform() * (count - place) < missing) {
      marks[start + place] = 1;
      missing--;
    }
  }
}

function pick(rows: SparseRows, marks: Uint8Array, mark: number): SparseRows {
  const pointer = new Float64Array(rows.pointer.length);
  const index = growingIntegers();
  for (let row = 0; row + 1 < pointer.length; row++) {
    const end = rows.pointer[row + 1] as number;
    for (let entry = rows.pointer[row] as number; entry < end; entry++) {
      if (marks[entry] === mark) index.push(rows.index[entry] as number);
    }
    pointer[row + 1] = index.length;
  }
  return { pointer, index: index.take() };
}
