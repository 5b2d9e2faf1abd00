import { poolSize, runTask } from '../kernels/workerPool.ts';
import { meanScores } from './scoreSums.ts';
import { keptRows, readStretches, type ListFile } from '../lists/listFile.ts';
import { findCompared } from './comparedItems.ts';
import { regressionOf } from '../ridge/regressionOf.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import { finishOperator, finishRelated } from './relatedLists.ts';
import { visitedRowCost } from './visitRows.ts';
import { visitShare, type SharedRows, type VisitedRanges } from './visitShare.ts';
import type { ContentVectors } from './attributes/contentVectors.ts';
import type { StoredCandidates } from './candidateFile.ts';
import type { ScoredRows } from '../lists/listRows.ts';
import type { RelatedParts } from './relatedParts.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { ContentScores, SparseRows } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Number of item ranges with about equal work: enough for smooth progress and for threads to finish at about the same time. */
const rangesWanted = 512;
const noRows: SparseRows = { pointer: new Float64Array(1), index: new Int32Array(0) };

/**
 * Computes the rows of the user operator and of related items on all threads of the pool.
 * @param candidates candidates from an external program, used instead of the Gram matrix; null computes the Gram matrix
 * @param report receives fractions 0 to 1
 * @param file file that holds finished rows; null keeps rows in memory
 * @param content metadata of the items, for a setting with content; otherwise null
 */
export function visitAllRows(
  interactions: Interactions, parts: RelatedParts, groups: number, setting: OperatorSetting,
  candidates: StoredCandidates | null, report: (fraction: number) => void, file: ListFile | null, content: ContentVectors | null,
): { operator: ScoredRows; related: ScoredRows; divisor: Float32Array; cosineScores: number[]; contentScores: ContentScores | undefined } {
  const { workspace, ...rest } = interactions;
  const { items } = interactions;
  const ranges = rangesByWork(interactions);
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const shared: SharedRows = {
    // With stored candidates, threads compute no Gram matrix and read no rows, so the rows are not copied to the threads.
    interactions: candidates === null ? rest : { ...rest, rows: noRows, audience: noRows },
    memory: workspace?.memory ?? null,
    parts,
    setting,
    groups,
    operatorLength: new Int32Array(new SharedArrayBuffer(4 * items)),
    relatedLength: new Int32Array(new SharedArrayBuffer(4 * items)),
    divisor: new Float32Array(new SharedArrayBuffer(4 * items)),
    file,
    ranges,
    candidates,
    compared: setting.allPairs === true ? findCompared(createRowTools(interactions), interactions, parts.factors, parts.itemGroup, groups) : null,
    ridge: regressionOf(setting, interactions, parts.factors),
    content,
    taken,
  };
  const tell = (): void => report(Math.min(1, Atomics.load(taken, 0) / (ranges.length - 1)));
  const own = (): VisitedRanges => visitShare(shared, tell, workspace);
  const mark = workspace?.mark() ?? 0;
  const results = poolSize() === 1 || workspace === null ? [own()] : (runTask({ kind: 'rows', content: shared }, own, tell, taken) as VisitedRanges[]);
  workspace?.release(mark);
  const means = meanScores(results.map(({ bins }) => bins));
  const stretches = results.flatMap((each) => each.ranges).sort((a, b) => a.range - b.range);
  const { operatorLength, relatedLength, divisor } = shared;
  const operator = stretches.map((each) => each.operator);
  const related = stretches.map((each) => each.related);
  const finished = (): Iterable<Int32Array> => finishRelated(relatedLength, readStretches(related, file), parts.itemGroup, means);
  return {
    operator: keptRows(operatorLength, () => finishOperator(operatorLength, readStretches(operator, file), means), 2, file),
    related: keptRows(relatedLength, finished, 2, file),
    divisor,
    cosineScores: [...means.any],
    contentScores: parts.heldOut === null ? undefined : { cosine: [...means.content], value: [...means.value] },
  };
}

/** First item of each range; all ranges need about the same number of additions for Gram rows and visitors. */
function rangesByWork({ items, audience, userDegree }: Interactions): Int32Array {
  const cost = Float64Array.from({ length: items }, (_, item) => {
    let sum = visitedRowCost;
    const end = audience.pointer[item + 1] as number;
    for (let place = audience.pointer[item] as number; place < end; place++) sum += userDegree[audience.index[place] as number] as number;
    return sum;
  });
  const share = cost.reduce((sum, each) => sum + each, 0) / rangesWanted;
  const starts = [0];
  let open = 0;
  for (let item = 0; item < items; item++) {
    open += cost[item] as number;
    if (open < share || item === items - 1) continue;
    starts.push(item + 1);
    open = 0;
  }
  return Int32Array.from([...starts, items]);
}
