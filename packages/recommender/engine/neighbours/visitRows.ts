import type { CandidateRow } from './candidateRow.ts';
import type { GramRow } from './gramRow.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/** What collects something from rows of the Gram matrix. They come in item order. */
export interface RowVisitor {
  addRow(item: number, row: CandidateRow): void;
}

/** Computes the rows of the Gram matrix of some items, in rising order, and shows each row to all visitors. */
export function visitRows(row: GramRow, items: Iterable<number>, visitors: readonly RowVisitor[], meter: ProgressMeter): void {
  for (const item of items) {
    row.fill(item);
    for (const visitor of visitors) visitor.addRow(item, row);
    row.clear();
    meter.advance(row.additions(item) + visitedRowCost);
  }
}

/** What the visitors need for a row, in additions of the Gram; only for the shares of the progress. */
export const visitedRowCost = 20_000;
