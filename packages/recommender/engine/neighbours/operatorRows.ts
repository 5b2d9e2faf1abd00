import { degreePowers } from '../matrix/interactions.ts';
import { quantiseRows, type QuantisedRows } from '../kernels/quantisedRows.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import type { OperatorTerms, RowTools } from '../kernels/rowTools.ts';
import { PairScores } from '../scores/pairScores.ts';
import { operatorLimit } from './operatorLimit.ts';
import type { ListRows } from '../lists/listRows.ts';
import type { CandidateRow } from './candidateRow.ts';
import type { RelatedParts } from './relatedParts.ts';
import type { RowVisitor } from './visitRows.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** An item with a single user has no useful row: all its neighbours are items that this user has already seen. */
const minUsers = 2;

/**
 * The user operator: `M[i,j] = d_i^(pa+1/2) (P[i,j] + sum_k V[k,i] g_k V[k,j]) d_j^(pb+1/2) + b d_i^-1/2 (sum_k V[k,i]
 * V[k,j]) d_j^1/2` with `g_k = s_k (exp(-T s_k) - 1)`. The exponential damps the strongest directions (a heat filter, as in
 * BSPM, Choi et al. 2023); the b term is the ideal low-pass filter of GF-CF (Shen et al. 2021). The spectral terms are
 * computed for the candidates only.
 */
export class OperatorRows implements RowVisitor {
  /**
   * `sum_k V[i,k] s_k V[j,k]` of the last row's candidates j, at their places in `row.candidates`; null if no related rows
   * are computed. These sums add little work, because the other sums read the same rows of V.
   */
  readonly strongSum: Float32Array | null;
  private readonly tools: RowTools;
  private readonly interactions: Interactions;
  private readonly factors: Factors;
  private readonly b: number;
  private readonly rowPower: Float64Array;
  private readonly terms: OperatorTerms;
  private readonly vectors: Float32Array;
  private readonly vectorRows: QuantisedRows;
  /** The item's row of V multiplied by `damping`, unchanged, and, if related rows need it, multiplied by the eigenvalues. */
  private readonly queries: QuantisedRows;
  private readonly damping: Float32Array;
  private readonly eigenvalues: Float32Array;
  private readonly key: Float32Array;
  private readonly chosen: Int32Array;
  private readonly lists: ListRows;
  private readonly limit: number;
  private readonly scores: PairScores;

  /**
   * @param lists receives the rows
   * @param parts parts of the related rows that are computed after each operator row; null for none
   */
  constructor(interactions: Interactions, factors: Factors, setting: OperatorSetting, lists: ListRows, parts: RelatedParts | null = null) {
    this.interactions = interactions;
    this.factors = factors;
    this.b = setting.b;
    this.rowPower = degreePowers(interactions.itemDegree, setting.pa + 0.5);
    const { items } = interactions;
    const tools = createRowTools(interactions);
    this.tools = tools;
    this.vectors = tools.place(factors.vectors);
    this.vectorRows = parts?.vectorRows ?? quantiseRows(tools, this.vectors, factors.rank);
    this.queries = tools.quantised(3, factors.rank);
    this.damping = tools.place(Float32Array.from(factors.eigenvalues, (s) => s * (Math.exp(-setting.T * s) - 1)));
    this.eigenvalues = tools.place(Float32Array.from(factors.eigenvalues));
    this.strongSum = parts !== null && parts.embedding === null ? tools.floats(items) : null;
    const ofDegree = (exponent: number): Float32Array => tools.place(Float32Array.from(degreePowers(interactions.itemDegree, exponent)));
    this.terms = {
      damped: tools.floats(items),
      plain: tools.floats(items),
      inverseRoot: ofDegree(-0.5),
      columnPower: ofDegree(setting.pb + 0.5),
      root: ofDegree(0.5),
      normaliser: 0,
      rowPower: 0,
      lowPass: 0,
    };
    this.key = tools.floats(items);
    this.chosen = tools.integers(items);
    this.lists = lists;
    this.limit = operatorLimit(items);
    this.scores = new PairScores(interactions.itemDegree, interactions.users);
  }

  /** Whether an item has enough users for a row. */
  hasRow(item: number): boolean {
    return (this.interactions.itemDegree[item] as number) >= minUsers;
  }

  addRow(item: number, row: CandidateRow): void {
    if (this.hasRow(item)) {
      const { tools, queries } = this;
      const { rank, largestEigenvalue } = this.factors;
      const inverseRoot = this.terms.inverseRoot[item] as number;
      this.terms.normaliser = inverseRoot / largestEigenvalue;
      this.terms.rowPower = this.rowPower[item] as number;
      this.terms.lowPass = this.b * inverseRoot;
      const vector = this.vectors.subarray(item * rank, (item + 1) * rank);
      tools.quantise(vector, this.damping, queries, 0);
      tools.quantise(vector, null, queries, 1);
      if (this.strongSum !== null) tools.quantise(vector, this.eigenvalues, queries, 2);
      for (let group = 0; group < row.candidateCount.length; group++) this.addGroup(item, row, group);
      this.lists.end(item);
    }
  }

  private addGroup(item: number, row: CandidateRow, group: number): void {
    const count = row.candidateCount[group] as number;
    if (count === 0) return;
    const { chosen, key, terms, tools } = this;
    const start = row.groupStart[group] as number;
    chosen.set(row.candidates.subarray(start, start + count));
    const strong = this.strongSum?.subarray(start, start + count);
    tools.dot(this.queries, this.vectorRows, chosen, count, [terms.damped, terms.plain, strong]);
    tools.operatorKeys(chosen, count, row.sums, terms, key);
    const kept = Math.min(count, this.limit);
    tools.selectLargest(key, chosen, count, kept);
    tools.sortLargestFirst(key, chosen, kept);
    const { lists, scores } = this;
    const { sums } = row;
    for (let place = 0; place < kept; place++) {
      const other = chosen[place] as number;
      lists.add(other, key[place] as number, scores.of(sums[2 * other + 1] as number, item, other));
    }
  }
}
