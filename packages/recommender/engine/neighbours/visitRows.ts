import type { CandidateRow } from './candidateRow.ts';
import type { GramRow } from './gramRow.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/** Collects results from rows of the Gram matrix. Rows arrive in item order. */
export interface RowVisitor {
  addRow(item: number, row: CandidateRow): void;
}

/**
 * Computes the Gram matrix rows of the given items and passes each row to all visitors.
 * @param items item numbers in ascending order
 */
export function visitRows(row: GramRow, items: Iterable<number>, visitors: readonly RowVisitor[], meter: ProgressMeter): void {
  for (const item of items) {
    row.fill(item);
    for (const visitor of visitors) visitor.addRow(item, row);
    row.clear();
    meter.advance(row.additions(item) + visitedRowCost);
  }
}

/** Estimated cost of the visitors per row, in additions of the Gram matrix; used only to report progress. */
export const visitedRowCost = 20_000;
