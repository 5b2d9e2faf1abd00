import { Workspace } from '../kernels/workspace.ts';
import { GramRow } from './gramRow.ts';
import { OperatorRows } from './operatorRows.ts';
import { RelatedRows } from './relatedRows.ts';
import type { ListRows } from './listRows.ts';
import type { RelatedLists } from './relatedLists.ts';
import type { RelatedParts } from './relatedParts.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { BinTotals } from '../scores/cosineBins.ts';
import type { OperatorSetting } from '../trainingData.ts';

/** Rows of all items as threads make them: each takes the next range of items until none is left. */
export interface SharedRows {
  interactions: Omit<Interactions, 'workspace'>;
  memory: WebAssembly.Memory | null;
  parts: RelatedParts;
  setting: OperatorSetting;
  operator: ListRows;
  related: RelatedLists;
  /** Items at which ranges begin, and their number at the end. */
  ranges: Int32Array;
  /** Counts the ranges that were taken. */
  taken: Int32Array;
}

/** The part of a thread. */
export function visitShare(shared: SharedRows, report: () => void = () => {}, workspace?: Workspace | null): BinTotals {
  const { parts, setting, ranges, taken } = shared;
  const memory = workspace === undefined ? (shared.memory === null ? null : new Workspace(shared.memory)) : workspace;
  const interactions = { ...shared.interactions, workspace: memory };
  const row = new GramRow(interactions, parts.itemGroup, shared.related.groups, setting.pu, setting.pb);
  const operator = new OperatorRows(interactions, parts.factors, setting, shared.operator, parts.embedding === null);
  const related = new RelatedRows(interactions, parts, shared.related, operator);
  for (;;) {
    const range = Atomics.add(taken, 0, 1);
    if (range + 1 >= ranges.length) return related.bins.totals();
    for (let item = ranges[range] as number; item < (ranges[range + 1] as number); item++) {
      row.fill(item);
      operator.addRow(item, row);
      related.addRow(item, row);
      row.clear();
    }
    report();
  }
}
