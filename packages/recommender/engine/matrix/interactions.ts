import { transpose } from './transpose.ts';
import { takeWorkspace, type Workspace } from '../kernels/workspace.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { History } from './buildHistory.ts';

/**
 * Maximum number of a user's latest items in the Gram matrix and the factors. The Gram matrix costs the sum of squared row
 * lengths, and the cap has no measurable effect on quality (R@20 on Gowalla: .1890 with the cap, .1891 without, .1871 with a
 * cap of 200).
 */
export const historyCap = 500;
/**
 * Cap of histories without times, whose latest items are any items: with 500, a fifth of the interactions of people with the packages that they maintain is left out, and lists lose 2.8 % of recall + ndcg
 * (bench/results/recommend-peers.md).
 */
const untimedCap = 4000;
/** Maximum sum of squared row lengths with the cap of histories without times: about twice the additions of MovieLens latest-small, half a second. */
const untimedAdditions = 5e7;

/** Items of each user, with the times of the interactions if they are known to the caller. */
export type HistoryRows = SparseRows & Partial<Pick<History, 'time'>>;

/** The maximum number of a user's items that count, see `historyCap` and `untimedCap`. */
export function capOf({ pointer, time }: HistoryRows): number {
  if (time === undefined || !time.every(Number.isNaN)) return historyCap;
  let additions = 0;
  for (let row = 0; row + 1 < pointer.length; row++) additions += Math.min(untimedCap, (pointer[row + 1] as number) - (pointer[row] as number)) ** 2;
  return additions <= untimedAdditions ? untimedCap : historyCap;
}

/** The capped binary matrix for collaborative filtering, by user and by item, with degrees. */
export interface Interactions {
  users: number;
  items: number;
  /** Items of each user, at most `cap`. */
  rows: SparseRows;
  cap: number;
  /** Users of each item, ascending. */
  audience: SparseRows;
  userDegree: Float64Array;
  itemDegree: Float64Array;
  /** Shared memory that contains rows and audience for the kernels; null for small data. */
  workspace: Workspace | null;
}

/**
 * With fewer entries, the plain TypeScript versions take no longer than the kernels with their compilation: a training of 339 entries takes .5 s with both, of 1,440
 * 1.0 and .5 s, of 20,315 7.5 and 1.1 s (generated data with 6 interactions a user).
 */
const kernelEntries = 1_000;

/**
 * Caps a history and computes the matrix, its transpose and the degrees.
 * @param items number of items
 * @param workspace memory to use; null for none; if omitted, large data takes a workspace
 * @param sharedRows whether kernels read rows and audience, which are then placed in the workspace
 * @param cap maximum number of a user's items that count
 */
export function toInteractions(
  history: HistoryRows, items: number, workspace?: Workspace | null, sharedRows = true, cap = capOf(history),
): Interactions {
  const capped = capRows(history, cap);
  const memory = workspace === undefined ? (capped.index.length < kernelEntries ? null : takeWorkspace()) : workspace;
  const place = ({ pointer, index }: SparseRows): SparseRows =>
    memory === null || !sharedRows ? { pointer, index } : { pointer: memory.place(pointer), index: memory.place(index) };
  const rows = place(capped);
  const audience = place(transpose(rows, items));
  return {
    users: rows.pointer.length - 1,
    items,
    rows,
    cap,
    audience,
    userDegree: rowLengths(rows),
    itemDegree: rowLengths(audience),
    workspace: memory,
  };
}

/** `degree^exponent` for each degree, 0 for a degree of 0. */
export function degreePowers(degree: Float64Array, exponent: number): Float64Array {
  return degree.map((value) => (value === 0 ? 0 : value ** exponent));
}

/** Keeps the last `limit` entries of each row (in a history: the latest). Returns `rows` itself if no row is longer. */
export function capRows(rows: SparseRows, limit: number): SparseRows {
  const count = rows.pointer.length - 1;
  const pointer = new Float64Array(count + 1);
  for (let row = 0; row < count; row++) {
    const length = (rows.pointer[row + 1] as number) - (rows.pointer[row] as number);
    pointer[row + 1] = (pointer[row] as number) + Math.min(length, limit);
  }
  if (pointer[count] === rows.index.length) return rows;
  const index = new Int32Array(pointer[count] as number);
  for (let row = 0; row < count; row++) {
    const end = rows.pointer[row + 1] as number;
    const kept = (pointer[row + 1] as number) - (pointer[row] as number);
    index.set(rows.index.subarray(end - kept, end), pointer[row] as number);
  }
  return { pointer, index };
}

/** Number of entries of each row, i.e. the degrees of users or items. */
export function rowLengths(rows: SparseRows): Float64Array {
  const lengths = new Float64Array(rows.pointer.length - 1);
  for (let row = 0; row < lengths.length; row++) {
    lengths[row] = (rows.pointer[row + 1] as number) - (rows.pointer[row] as number);
  }
  return lengths;
}
