import { degreePowers } from '../matrix/interactions.ts';
import { growingFloats, growingIntegers } from '../matrix/growingArray.ts';
import { rowTools, type RowTools } from '../kernels/rowTools.ts';
import { pairScore } from '../scores/pairScore.ts';
import type { GramRow } from './gramRow.ts';
import type { RowVisitor } from './visitRows.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { WeightedRows } from '../trainedModel.ts';
import type { OperatorSetting } from '../trainingData.ts';

/** Entries kept per row and target type. R@20 on a Gowalla sample: 100 .1875, 200 .1909, 400 .1913, all .1910. */
const operatorLimit = 200;
/** An item with a single user says nothing about others: its neighbours are what that user has seen already. */
const minimumUsers = 2;

/**
 * The user operator: `M[i,j] = d_i^(pa+1/2) (P[i,j] + sum_k V[k,i] g_k V[k,j]) d_j^(pb+1/2)
 * + b d_i^-1/2 (sum_k V[k,i] V[k,j]) d_j^1/2` with `g_k = s_k (exp(-T s_k) - 1)`. The exponential damps the strongest
 * directions (a heat filter, as in BSPM, Choi et al. 2023), the b term is the ideal low-pass filter of GF-CF (Shen et
 * al. 2021). The spectral terms are added at the candidates only.
 */
export class OperatorRows implements RowVisitor {
  private readonly tools: RowTools;
  private readonly interactions: Interactions;
  private readonly factors: Factors;
  private readonly b: number;
  private readonly rowPower: Float64Array;
  private readonly columnPower: Float64Array;
  private readonly inverseRoot: Float64Array;
  private readonly root: Float64Array;
  private readonly vectors: Float32Array;
  private readonly damping: Float64Array;
  private readonly damped: Float32Array;
  private readonly plain: Float32Array;
  private readonly dampedSum: Float32Array;
  private readonly plainSum: Float32Array;
  private readonly key: Float32Array;
  private readonly chosen: Int32Array;
  private readonly pointer: Float64Array;
  private readonly index = growingIntegers();
  private readonly value = growingFloats();
  private readonly score = growingFloats();

  constructor(interactions: Interactions, factors: Factors, setting: OperatorSetting) {
    this.interactions = interactions;
    this.factors = factors;
    this.b = setting.b;
    this.rowPower = degreePowers(interactions.itemDegree, setting.pa + 0.5);
    this.columnPower = degreePowers(interactions.itemDegree, setting.pb + 0.5);
    this.inverseRoot = degreePowers(interactions.itemDegree, -0.5);
    this.root = degreePowers(interactions.itemDegree, 0.5);
    this.damping = factors.eigenvalues.map((s) => s * (Math.exp(-setting.T * s) - 1));
    const { items } = interactions;
    const tools = rowTools(interactions);
    this.tools = tools;
    this.vectors = tools.place(factors.vectors);
    this.damped = tools.floats(factors.rank);
    this.plain = tools.floats(factors.rank);
    this.dampedSum = tools.floats(items);
    this.plainSum = tools.floats(items);
    this.key = tools.floats(items);
    this.chosen = tools.integers(items);
    this.pointer = new Float64Array(items + 1);
  }

  addRow(item: number, row: GramRow): void {
    if ((this.interactions.itemDegree[item] as number) >= minimumUsers) {
      const { vectors } = this;
      const { rank } = this.factors;
      for (let k = 0; k < rank; k++) {
        const entry = vectors[item * rank + k] as number;
        this.plain[k] = entry;
        this.damped[k] = entry * (this.damping[k] as number);
      }
      for (let group = 0; group < row.candidateCount.length; group++) this.addGroup(item, row, group);
    }
    this.pointer[item + 1] = this.index.length;
  }

  finish(): WeightedRows & { score: Float32Array } {
    return {
      pointer: this.pointer,
      index: this.index.take(),
      value: this.value.take(),
      score: this.score.take(),
    };
  }

  private addGroup(item: number, row: GramRow, group: number): void {
    const count = row.candidateCount[group] as number;
    if (count === 0) return;
    const { chosen, key, factors } = this;
    const start = row.groupStart[group] as number;
    chosen.set(row.candidates.subarray(start, start + count));
    this.tools.dotTwo(this.damped, this.plain, this.vectors, chosen, count, factors.rank, this.dampedSum, this.plainSum);
    const normaliser = (this.inverseRoot[item] as number) / factors.largestEigenvalue;
    const rowPower = this.rowPower[item] as number;
    const lowPass = this.b * (this.inverseRoot[item] as number);
    for (let place = 0; place < count; place++) {
      const other = chosen[place] as number;
      const p = (row.sums[2 * other] as number) * normaliser * (this.inverseRoot[other] as number);
      key[place] =
        rowPower * (p + (this.dampedSum[place] as number)) * (this.columnPower[other] as number) +
        lowPass * (this.plainSum[place] as number) * (this.root[other] as number);
    }
    const kept = Math.min(count, operatorLimit);
    this.tools.selectLargest(key, chosen, count, kept);
    this.tools.sortLargestFirst(key, chosen, kept);
    const { itemDegree, users } = this.interactions;
    for (let place = 0; place < kept; place++) {
      const other = chosen[place] as number;
      this.index.push(other);
      this.value.push(key[place] as number);
      const common = row.sums[2 * other + 1] as number;
      this.score.push(pairScore(common, itemDegree[item] as number, itemDegree[other] as number, users));
    }
  }
}
