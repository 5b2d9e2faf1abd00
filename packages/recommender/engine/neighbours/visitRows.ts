import type { CandidateRow } from './candidateRow.ts';
import type { GramRow } from './gramRow.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/** What collects something from each row of the Gram matrix. Rows come in item order. */
export interface RowVisitor {
  addRow(item: number, row: CandidateRow): void;
}

/** Computes the Gram matrix row by row and shows each row to all visitors. */
export function visitRows(row: GramRow, items: number, visitors: readonly RowVisitor[], meter: ProgressMeter): void {
  for (let item = 0; item < items; item++) {
    row.fill(item);
    for (const visitor of visitors) visitor.addRow(item, row);
    row.clear();
    meter.advance(row.additions(item) + visitedRowCost);
  }
}

/** What the visitors need for a row, in additions of the Gram; only for the shares of the progress. */
export const visitedRowCost = 20_000;
