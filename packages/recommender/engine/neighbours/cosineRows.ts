import { createRowTools } from '../kernels/createRowTools.ts';
import type { RowTools } from '../kernels/rowTools.ts';
import { WholeRows } from '../lists/listRows.ts';
import type { CandidateRow } from './candidateRow.ts';
import type { RowVisitor } from './visitRows.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { WeightedRows } from '../data/trainedModel.ts';

const neighbours = 200;

/** The item-kNN baseline (Sarwar et al. 2001): the 200 neighbours with the largest cosine, selected from the whole row. */
export class CosineRows implements RowVisitor {
  private readonly tools: RowTools;
  private readonly itemDegree: Float64Array;
  private readonly key: Float32Array;
  private readonly chosen: Int32Array;
  private readonly lists: WholeRows;

  constructor(interactions: Interactions) {
    this.itemDegree = interactions.itemDegree;
    this.tools = createRowTools(interactions);
    this.key = this.tools.floats(interactions.items);
    this.chosen = this.tools.integers(interactions.items);
    this.lists = new WholeRows(interactions.items, 1);
  }

  addRow(item: number, row: CandidateRow): void {
    const count = row.groupStart[row.groupStart.length - 1] as number;
    for (let place = 0; place < count; place++) {
      const other = row.touched[place] as number;
      this.chosen[place] = other;
      this.key[place] =
        (row.sums[2 * other + 1] as number) /
        Math.sqrt((this.itemDegree[item] as number) * (this.itemDegree[other] as number));
    }
    const kept = Math.min(count, neighbours);
    this.tools.selectLargest(this.key, this.chosen, count, kept);
    this.tools.sortLargestFirst(this.key, this.chosen, kept);
    for (let place = 0; place < kept; place++) this.lists.add(this.chosen[place] as number, this.key[place] as number);
    this.lists.end(item);
  }

  finish(): WeightedRows {
    return this.lists.join();
  }
}
