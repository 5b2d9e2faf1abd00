import { degreePowers } from '../matrix/interactions.ts';
import { rowTools, type OperatorTerms, type RowTools } from '../kernels/rowTools.ts';
import { PairScores } from '../scores/pairScores.ts';
import { operatorLimit } from './operatorLimit.ts';
import type { ListRows } from './listRows.ts';
import type { CandidateRow } from './candidateRow.ts';
import type { RowVisitor } from './visitRows.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { OperatorSetting } from '../trainingData.ts';

/** An item with a single user says nothing about others: its neighbours are what that user has seen already. */
const minimumUsers = 2;

/**
 * The user operator: `M[i,j] = d_i^(pa+1/2) (P[i,j] + sum_k V[k,i] g_k V[k,j]) d_j^(pb+1/2)
 * + b d_i^-1/2 (sum_k V[k,i] V[k,j]) d_j^1/2` with `g_k = s_k (exp(-T s_k) - 1)`. The exponential damps the strongest
 * directions (a heat filter, as in BSPM, Choi et al. 2023), the b term is the ideal low-pass filter of GF-CF (Shen et
 * al. 2021). The spectral terms are added at the candidates only.
 */
export class OperatorRows implements RowVisitor {
  /**
   * Where asked for: `sum_k V[i,k] s_k V[j,k]` of the last row's candidates j, at their places in `row.candidates`. They cost
   * little beside the others, which read the same rows of V.
   */
  readonly strongSum: Float32Array | null;
  private readonly tools: RowTools;
  private readonly interactions: Interactions;
  private readonly factors: Factors;
  private readonly b: number;
  private readonly rowPower: Float64Array;
  private readonly terms: OperatorTerms;
  private readonly vectors: Float32Array;
  private readonly damping: Float64Array;
  private readonly damped: Float32Array;
  private readonly plain: Float32Array;
  private readonly strong: Float32Array | null;
  private readonly key: Float32Array;
  private readonly chosen: Int32Array;
  private readonly lists: ListRows;
  private readonly limit: number;
  private readonly scores: PairScores;

  /** @param lists where the rows go */
  constructor(interactions: Interactions, factors: Factors, setting: OperatorSetting, lists: ListRows, withStrong = false) {
    this.interactions = interactions;
    this.factors = factors;
    this.b = setting.b;
    this.rowPower = degreePowers(interactions.itemDegree, setting.pa + 0.5);
    this.damping = factors.eigenvalues.map((s) => s * (Math.exp(-setting.T * s) - 1));
    const { items } = interactions;
    const tools = rowTools(interactions);
    this.tools = tools;
    this.vectors = tools.place(factors.vectors);
    this.damped = tools.floats(factors.rank);
    this.plain = tools.floats(factors.rank);
    this.strong = withStrong ? tools.floats(factors.rank) : null;
    this.strongSum = withStrong ? tools.floats(items) : null;
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
    return (this.interactions.itemDegree[item] as number) >= minimumUsers;
  }

  addRow(item: number, row: CandidateRow): void {
    if (this.hasRow(item)) {
      const { vectors } = this;
      const { rank, largestEigenvalue } = this.factors;
      const inverseRoot = this.terms.inverseRoot[item] as number;
      this.terms.normaliser = inverseRoot / largestEigenvalue;
      this.terms.rowPower = this.rowPower[item] as number;
      this.terms.lowPass = this.b * inverseRoot;
      for (let k = 0; k < rank; k++) {
        const entry = vectors[item * rank + k] as number;
        this.plain[k] = entry;
        this.damped[k] = entry * (this.damping[k] as number);
        if (this.strong !== null) this.strong[k] = entry * (this.factors.eigenvalues[k] as number);
      }
      for (let group = 0; group < row.candidateCount.length; group++) this.addGroup(item, row, group);
      this.lists.end(item);
    }
  }

  private addGroup(item: number, row: CandidateRow, group: number): void {
    const count = row.candidateCount[group] as number;
    if (count === 0) return;
    const { chosen, key, terms, tools, vectors } = this;
    const start = row.groupStart[group] as number;
    const { rank } = this.factors;
    chosen.set(row.candidates.subarray(start, start + count));
    if (this.strong === null || this.strongSum === null) {
      tools.dotTwo(this.damped, this.plain, vectors, chosen, count, rank, terms.damped, terms.plain);
    } else {
      const outs = [terms.damped, terms.plain, this.strongSum.subarray(start, start + count)] as const;
      tools.dotThree([this.damped, this.plain, this.strong], vectors, chosen, count, rank, outs);
    }
    tools.operatorKeys(chosen, count, row.sums, terms, key);
    const kept = Math.min(count, this.limit);
    tools.selectLargest(key, chosen, count, kept);
    tools.sortLargestFirst(key, chosen, kept);
    for (let place = 0; place < kept; place++) {
      const other = chosen[place] as number;
      const common = row.sums[2 * other + 1] as number;
      this.lists.add(other, key[place] as number, this.scores.of(common, item, other));
    }
  }
}
