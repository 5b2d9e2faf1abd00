import { keepStretch, keptRows, readStretches, type ListFile, type Stretch } from '../lists/listFile.ts';
import { ListRows } from '../lists/listRows.ts';
import { historyCap } from '../matrix/interactions.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { WeightedRows } from '../data/trainedModel.ts';

/** Maximum number of steps between two items of a transition; the next item counts 1, the tenth 1/10. */
const longestGap = 10;
/** Weight of a backward step relative to a forward step. With symmetric transitions, recall@20 is 4 to 6 % lower. */
const backward = 0.3;
const rowExponent = -0.8;
const columnExponent = -0.2;
/** Entries kept per row and target type. */
const transitionLimit = 200;
/** Number of finished words that are stored together. */
const stretchWords = 1 << 20;

/**
 * Transitions: items that users interact with after an item. `S = D_row^-0.8 N D_col^-0.2`, where `N[a,b]` is the sum over
 * users of 1/g if b is g steps after a, and 0.3/g if b is g steps before a (g up to 10). Only entries with a time count, at
 * most the latest 500 per user. Rows are grouped by target type, in descending order within each group.
 * @param wanted items for which rows are computed; all items if omitted
 * @param file file that holds finished rows; if omitted, rows stay in memory
 */
export function transitionRows(
  history: History, itemGroup: Int32Array, groups: number, { wanted, file = null }: { wanted?: Int32Array; file?: ListFile | null } = {},
): WeightedRows {
  const items = itemGroup.length;
  const places = timedPlaces(history, items);
  const [rowSums, columnSums] = sumSteps(history, places, items);
  const columnWeight = columnSums.map((sum) => (sum > 0 ? sum ** columnExponent : 0));
  const sums = new Float64Array(items);
  const touched = new Int32Array(items);
  const grouped = Array.from({ length: groups }, () => ({ chosen: new Int32Array(items), key: new Float64Array(items), count: 0 }));
  const rows = new ListRows(new Int32Array(items), 1);
  const stretches: Stretch[] = [];
  for (const item of wanted ?? places.pointer.subarray(1).keys()) {
    let count = 0;
    for (let at = places.pointer[item] as number; at < (places.pointer[item + 1] as number); at++) {
      const entry = places.index[at] as number;
      const user = places.user[at] as number;
      eachStep(entry, places.first[user] as number, history.pointer[user + 1] as number, (other, ahead) => {
        const neighbour = history.index[other] as number;
        if (neighbour === item) return;
        if (sums[neighbour] === 0) touched[count++] = neighbour;
        sums[neighbour] = (sums[neighbour] as number) + ahead;
      });
    }
    const rowWeight = (rowSums[item] as number) > 0 ? (rowSums[item] as number) ** rowExponent : 0;
    for (let place = 0; place < count; place++) {
      const other = touched[place] as number;
      const group = grouped[itemGroup[other] as number] as (typeof grouped)[number];
      group.chosen[group.count] = other;
      group.key[group.count++] = (sums[other] as number) * rowWeight * (columnWeight[other] as number);
      sums[other] = 0;
    }
    for (const group of grouped) {
      const kept = Math.min(group.count, transitionLimit);
      selectLargest(group.key, group.chosen, group.count, kept);
      sortLargestFirst(group.key, group.chosen, kept);
      for (let place = 0; place < kept; place++) rows.add(group.chosen[place] as number, group.key[place] as number);
      group.count = 0;
    }
    rows.end(item);
    if (rows.finished >= stretchWords) stretches.push(keepStretch(rows.take(), file));
  }
  stretches.push(keepStretch(rows.take(), file));
  return keptRows(rows.length, () => readStretches(stretches, file), 1, file);
}

/** Empty rows, for settings without transitions. */
export function noTransitions(items: number): WeightedRows {
  return { pointer: new Float64Array(items + 1), index: new Int32Array(0), value: new Float32Array(0) };
}

/** For each item, the history entries that contain the item and have a time, and the user of each entry. */
interface TimedPlaces {
  pointer: Float64Array;
  index: Int32Array;
  user: Int32Array;
  /** Each user's first entry that takes part. */
  first: Float64Array;
}

function timedPlaces(history: History, items: number): TimedPlaces {
  const users = history.pointer.length - 1;
  const first = new Float64Array(users);
  const pointer = new Float64Array(items + 1);
  for (let user = 0; user < users; user++) {
    const end = history.pointer[user + 1] as number;
    let start = Math.max(history.pointer[user] as number, end - historyCap);
    // Unknown times sort first.
    while (start < end && Number.isNaN(history.time[start])) start++;
    first[user] = start;
    for (let entry = start; entry < end; entry++) {
      const item = history.index[entry] as number;
      pointer[item + 1] = (pointer[item + 1] as number) + 1;
    }
  }
  for (let item = 0; item < items; item++) pointer[item + 1] = (pointer[item + 1] as number) + (pointer[item] as number);
  const next = pointer.slice();
  const index = new Int32Array(pointer[items] as number);
  const userOf = new Int32Array(index.length);
  for (let user = 0; user < users; user++) {
    for (let entry = first[user] as number; entry < (history.pointer[user + 1] as number); entry++) {
      const item = history.index[entry] as number;
      const place = next[item] as number;
      index[place] = entry;
      userOf[place] = user;
      next[item] = place + 1;
    }
  }
  return { pointer, index, user: userOf, first };
}

/** Row sums and column sums of N. */
function sumSteps(history: History, places: TimedPlaces, items: number): [Float64Array, Float64Array] {
  const rows = new Float64Array(items);
  const columns = new Float64Array(items);
  for (let user = 0; user + 1 < history.pointer.length; user++) {
    const start = places.first[user] as number;
    const end = history.pointer[user + 1] as number;
    for (let entry = start; entry < end; entry++) {
      const item = history.index[entry] as number;
      eachStep(entry, start, end, (other, ahead) => {
        const neighbour = history.index[other] as number;
        rows[item] = (rows[item] as number) + ahead;
        columns[neighbour] = (columns[neighbour] as number) + ahead;
      });
    }
  }
  return [rows, columns];
}

/** Calls `visit` for each entry near `entry` within `start .. end`, with the weight of the transition. */
function eachStep(entry: number, start: number, end: number, visit: (other: number, weight: number) => void): void {
  for (let gap = 1; gap <= longestGap; gap++) {
    if (entry + gap < end) visit(entry + gap, 1 / gap);
    if (entry - gap >= start) visit(entry - gap, backward / gap);
  }
}
