import { Workspace } from '../kernels/workspace.ts';
import { GramRow } from './gramRow.ts';
import { keepStretch, type ListFile, type Stretch } from '../lists/listFile.ts';
import { ListRows } from '../lists/listRows.ts';
import { OperatorRows } from './operatorRows.ts';
import { RelatedRows } from './relatedRows.ts';
import { StoredRow } from './storedRow.ts';
import { visitRows } from './visitRows.ts';
import type { StoredCandidates } from './candidateFile.ts';
import type { ContentVectors } from './attributes/contentVectors.ts';
import type { ComparedItems } from './comparedItems.ts';
import type { ItemMatrix } from '../ridge/ridgeMatrix.ts';
import type { RelatedParts } from './relatedParts.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { ScoreTotals } from './scoreSums.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/**
 * Shared state of the threads that compute the rows of all items. Each thread takes the next range of items until none is
 * left.
 */
export interface SharedRows {
  interactions: Omit<Interactions, 'workspace'>;
  memory: WebAssembly.Memory | null;
  parts: RelatedParts;
  setting: OperatorSetting;
  groups: number;
  /** Number of entries of each item's operator and related row, and the divisor of each related row. */
  operatorLength: Int32Array;
  relatedLength: Int32Array;
  divisor: Float32Array;
  /** File that holds finished rows; null keeps rows in memory. */
  file: ListFile | null;
  /** First item of each range, followed by the number of items. */
  ranges: Int32Array;
  /** Candidates from an external program, used instead of the Gram matrix; null computes the Gram matrix. */
  candidates: StoredCandidates | null;
  /** Items compared with each row's item; null without a search over all pairs. */
  compared: ComparedItems | null;
  /** Regression between the most used items; null without a ridge. */
  ridge: ItemMatrix | null;
  /** Metadata of the items, for a setting with content; otherwise null. */
  content: ContentVectors | null;
  /** Number of ranges taken so far. */
  taken: Int32Array;
}

/** Results of the ranges that one thread took. */
export interface VisitedRanges {
  bins: ScoreTotals;
  ranges: { range: number; operator: Stretch; related: Stretch }[];
}

/**
 * Runs one thread's share: takes ranges and computes their rows until none is left.
 * @param workspace memory of the calling thread; omitted on pool threads, which open the shared memory themselves
 */
export function visitShare(shared: SharedRows, report: () => void = () => {}, workspace?: Workspace | null): VisitedRanges {
  const { parts, setting, taken, candidates, groups, file } = shared;
  const memory = workspace === undefined ? (shared.memory === null ? null : new Workspace(shared.memory)) : workspace;
  const interactions = { ...shared.interactions, workspace: memory };
  const stored = candidates === null ? null : new StoredRow(interactions, parts.itemGroup, groups, candidates);
  const row = stored ?? new GramRow(interactions, parts.itemGroup, groups, setting.pu, setting.pb);
  const operatorRows = new ListRows(shared.operatorLength, 2);
  const operator = new OperatorRows(interactions, parts.factors, setting, operatorRows, parts, shared.compared, shared.ridge, shared.content);
  const relatedRows = new ListRows(shared.relatedLength, 2);
  const related = new RelatedRows(interactions, parts, { rows: relatedRows, divisor: shared.divisor }, operator);
  const visited: VisitedRanges['ranges'] = [];
  try {
    for (let range = Atomics.add(taken, 0, 1); range + 1 < shared.ranges.length; range = Atomics.add(taken, 0, 1)) {
      visitRows(row, itemsOf(shared.ranges, range), [operator, related]);
      visited.push({ range, operator: keepStretch(operatorRows.take(), file), related: keepStretch(relatedRows.take(), file) });
      report();
    }
  } finally {
    stored?.close();
  }
  return { bins: related.bins.totals(), ranges: visited };
}

function* itemsOf(ranges: Int32Array, range: number): Generator<number> {
  for (let item = ranges[range] as number; item < (ranges[range + 1] as number); item++) yield item;
}
