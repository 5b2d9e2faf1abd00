import { degreePowers } from '../matrix/interactions.ts';
import { growingFloats, growingIntegers } from '../matrix/growingArray.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
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
  private readonly interactions: Interactions;
  private readonly factors: Factors;
  private readonly b: number;
  private readonly rowPower: Float64Array;
  private readonly columnPower: Float64Array;
  private readonly inverseRoot: Float64Array;
  private readonly root: Float64Array;
  private readonly damping: Float64Array;
  private readonly damped: Float64Array;
  private readonly plain: Float64Array;
  private readonly dampedSum: Float64Array;
  private readonly plainSum: Float64Array;
  private readonly key: Float64Array;
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
    this.damped = new Float64Array(factors.rank);
    this.plain = new Float64Array(factors.rank);
    this.dampedSum = new Float64Array(interactions.items);
    this.plainSum = new Float64Array(interactions.items);
    this.key = new Float64Array(interactions.items);
    this.chosen = new Int32Array(interactions.items);
    this.pointer = new Float64Array(interactions.items + 1);
  }

  addRow(item: number, row: GramRow): void {
    if ((this.interactions.itemDegree[item] as number) >= minimumUsers) {
      const { rank, vectors } = this.factors;
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
    dotWithBoth(this.damped, this.plain, factors.vectors, factors.rank, chosen, count, this.dampedSum, this.plainSum);
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
    selectLargest(key, chosen, count, kept);
    sortLargestFirst(key, chosen, kept);
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

/** Dot products of two queries with selected rows; two rows at a time share the loads of both queries. */
function dotWithBoth(
  queryA: Float64Array,
  queryB: Float64Array,
  matrix: Float32Array,
  columns: number,
  index: Int32Array,
  count: number,
  outA: Float64Array,
  outB: Float64Array,
): void {
  for (let place = 0; place < count; place += 2) {
    const first = (index[place] as number) * columns;
    const paired = place + 1 < count;
    const second = paired ? (index[place + 1] as number) * columns : first;
    let a1 = 0;
    let a2 = 0;
    let b1 = 0;
    let b2 = 0;
    for (let k = 0; k < columns; k++) {
      const a = queryA[k] as number;
      const b = queryB[k] as number;
      const x = matrix[first + k] as number;
      const y = matrix[second + k] as number;
      a1 += a * x;
      b1 += b * x;
      a2 += a * y;
      b2 += b * y;
    }
    outA[place] = a1;
    outB[place] = b1;
    if (paired) {
      outA[place + 1] = a2;
      outB[place + 1] = b2;
    }
  }
}
