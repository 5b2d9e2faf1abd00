import { itemsTogether } from './rowProducts.ts';
import type { CandidateRow } from './candidateRow.ts';

/** Collects results from rows of the Gram matrix. Rows arrive in item order. */
export interface RowVisitor {
  /** Announces the next rows, at most `itemsTogether`, so that a visitor can compute parts of them together. */
  expect?(items: readonly number[]): void;
  addRow(item: number, row: CandidateRow): void;
}

/**
 * Computes the Gram matrix rows of the given items and passes each row to all visitors.
 * @param items item numbers in ascending order
 * @param visited called after each row
 */
export function visitRows(row: CandidateRow, items: Iterable<number>, visitors: readonly RowVisitor[], visited: (item: number) => void = () => {}): void {
  for (const block of blocksOf(items)) {
    for (const visitor of visitors) visitor.expect?.(block);
    for (const item of block) {
      row.fill(item);
      for (const visitor of visitors) visitor.addRow(item, row);
      row.clear();
      visited(item);
    }
  }
}

function* blocksOf(items: Iterable<number>): Generator<readonly number[]> {
  let block: number[] = [];
  for (const item of items) {
    block.push(item);
    if (block.length < itemsTogether) continue;
    yield block;
    block = [];
  }
  yield block;
}

/** Estimated cost of the visitors per row, in additions of the Gram matrix; used only to report progress. */
export const visitedRowCost = 20_000;
