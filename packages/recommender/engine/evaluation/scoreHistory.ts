import { followedItems, operatorWeights, transitionWeight } from '../time/historyWeights.ts';
import { noTransitions } from '../time/transitionRows.ts';
import type { ScoreUser } from './rankUsers.ts';
import type { SparseRows, WeightedRows } from '../trainedModel.ts';
import type { OperatorSetting } from '../trainingData.ts';

/** Scores by the plain sum of the rows of a user's history. */
export function scoreByRows(history: SparseRows, rows: WeightedRows): ScoreUser {
  return scoreHistory(history, rows, noTransitions(rows.pointer.length - 1), {});
}

/**
 * Scores as a served list is ordered: the weighted sum of the operator rows of a user's history and, where the setting
 * has a share m of transitions, `(1-m) sum/max + m transitions/max` with the maxima over the items that are not seen.
 */
export function scoreHistory(
  history: SparseRows,
  operator: WeightedRows,
  transitions: WeightedRows,
  { recency = false, transitions: share = 0 }: Pick<OperatorSetting, 'recency' | 'transitions'>,
): ScoreUser {
  const next = new Float64Array(share > 0 ? operator.pointer.length - 1 : 0);
  return (user, out) => {
    const items = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
    const weights = operatorWeights(items.length, recency);
    items.forEach((item, place) => addRow(operator, item, weights[place] as number, out));
    if (share === 0) return;
    next.fill(0);
    const first = Math.max(0, items.length - followedItems);
    for (let place = first; place < items.length; place++) {
      addRow(transitions, items[place] as number, transitionWeight(items.length - 1 - place), next);
    }
    for (const item of items) {
      out[item] = 0;
      next[item] = 0;
    }
    mixScores(out, next, share, out);
  };
}

/** `out = (1 - share) a / max(a) + share b / max(b)`; what has no positive entry adds nothing. */
export function mixScores(a: Float64Array, b: Float64Array, share: number, out: Float64Array): void {
  const scaleA = (1 - share) / largest(a);
  const scaleB = share / largest(b);
  for (let place = 0; place < out.length; place++) {
    out[place] = (a[place] as number) * scaleA + (b[place] as number) * scaleB;
  }
}

/** Infinity where nothing is positive, so that a division by it leaves nothing. */
function largest(values: Float64Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most > 0 ? most : Number.POSITIVE_INFINITY;
}

function addRow(rows: WeightedRows, item: number, weight: number, out: Float64Array): void {
  const stop = rows.pointer[item + 1] as number;
  for (let place = rows.pointer[item] as number; place < stop; place++) {
    const other = rows.index[place] as number;
    out[other] = (out[other] as number) + weight * (rows.value[place] as number);
  }
}
