/**
 * Recommendations of new films, on MovieLens latest-small: 100 films with at least 20 ratings keep only their first few ratings.
 * The benchmark then ranks the 100 films for every user who rated some of them later, and scores the ranks of these films.
 * Rankings: the served one (the operator's sum), by content, by the kept ratings, and by both blended, `e = (n e_cf
 * |content|/|e_cf| + k content)/(n + k)`, as `(r_u D_i^-1/2 V^T).(e/s)`.
 *   node --import tsx bench/recommender/coldUsers.ts <folder of ml-latest-small> [ratings kept, 1,2,5,10] [folds, 2]
 */
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { mean, ndcg, printTable, recall, topOf } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: coldUsers.ts <folder of ml-latest-small> [ratings kept, 1,2,5,10] [folds]');
const keptCounts = (process.argv[3] ?? '1,2,5,10').split(',').map(Number);
const folds = Number(process.argv[4] ?? 2);
const foldSize = 100;
const cutoff = 20;
/** Values of k: the number of interactions at which a film's own vector has the same weight as its content. */
const blends = [6, 25];
const { entities, pairs } = readMovieLens(folder);
const ratings = new Map<string, number>();
for (const { target } of pairs) ratings.set(target, (ratings.get(target) ?? 0) + 1);
const eligible = [...ratings].filter(([, count]) => count >= 20).map(([id]) => id).sort();
const inTime = pairs.toSorted((a, b) => a.time - b.time);

/** Returns two vectors of a film: from its content, and from its kept ratings. */
function vectorsOf({ rank, attributes, ridge, vectors, eigenvalues }: TrainedModel, film: number): [Float64Array, Float64Array] {
  const content = new Float64Array(rank);
  for (let at = attributes.pointer[film] as number; at < (attributes.pointer[film + 1] as number); at++) {
    const base = (attributes.index[at] as number) * rank;
    for (let k = 0; k < rank; k++) content[k] = (content[k] as number) + (attributes.value[at] as number) * (ridge[base + k] as number);
  }
  return [content, Float64Array.from({ length: rank }, (_, k) => (vectors[film * rank + k] as number) * Math.sqrt(eigenvalues[k] as number))];
}

function blend(content: Float64Array, own: Float64Array, kept: number, k: number): Float64Array {
  const scale = Math.hypot(...own) > 0 ? (kept * Math.hypot(...content)) / Math.hypot(...own) : 0;
  return content.map((value, at) => (scale * (own[at] as number) + k * value) / (kept + k));
}

/** Returns the user's vector `r_u D_i^-1/2 V^T / s` for the items in `seen`. */
function direction({ rank, vectors, eigenvalues, audience }: TrainedModel, seen: Int32Array): Float64Array {
  const sum = new Float64Array(rank);
  for (const item of seen) {
    const degree = (audience.pointer[item + 1] as number) - (audience.pointer[item] as number);
    for (let k = 0; k < rank; k++) sum[k] = (sum[k] as number) + (vectors[item * rank + k] as number) * degree ** -0.5;
  }
  return sum.map((value, k) => ((eigenvalues[k] as number) > 0 ? value * (eigenvalues[k] as number) ** -0.5 : 0));
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, k) => sum + value * (b[k] as number), 0);

function measure(kept: number): Map<string, { recall: number[]; ndcg: number[] }> {
  const found = new Map<string, { recall: number[]; ndcg: number[] }>();
  for (let fold = 0; fold < folds; fold++) {
    const step = Math.floor(eligible.length / foldSize);
    const films = eligible.filter((_, place) => place % step === fold % step).slice(0, foldSize);
    const gone = new Map(films.map((id) => [id, 0]));
    const train = [];
    const wanted = new Map<string, Set<number>>();
    for (const pair of inTime) {
      const before = gone.get(pair.target);
      if (before !== undefined) gone.set(pair.target, before + 1);
      if (before === undefined || before < kept) train.push(pair);
      else wanted.set(pair.source, (wanted.get(pair.source) ?? new Set()).add(films.indexOf(pair.target)));
    }
    const data = toTrainingData(entities, train);
    const options = { setting: defaultSetting, seed: 1 };
    const model = computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
    const node = new Map(data.nodes.ids.map((id, number) => [id, number]));
    const items = films.map((id) => model.nodeItem[node.get(id) ?? -1] as number);
    const parts = items.map((film) => vectorsOf(model, film));
    for (const [source, places] of wanted) {
      const user = model.nodeUser[node.get(source) ?? -1] ?? -1;
      if (user < 0) continue;
      const seen = model.history.index.subarray(model.history.pointer[user], model.history.pointer[user + 1]);
      const u = direction(model, seen);
      const sums = new Float64Array(model.itemNode.length);
      for (const item of seen) {
        for (let at = model.operator.pointer[item] as number; at < (model.operator.pointer[item + 1] as number); at++) {
          const other = model.operator.index[at] as number;
          sums[other] = (sums[other] as number) + (model.operator.value[at] as number);
        }
      }
      const already = new Set(seen);
      const note = (name: string, values: readonly number[]): void => {
        // Shifts the values so that negative values are ranked too. The operator's zeros stay unranked.
        const shift = name === 'operator' ? 0 : Math.min(0, ...values) - 1e-9;
        const list = topOf(Float64Array.from(values, (value, at) => (already.has(items[at] as number) ? 0 : value - shift)), cutoff);
        const entry = found.get(name) ?? { recall: [], ndcg: [] };
        entry.recall.push(recall(list, places));
        entry.ndcg.push(ndcg(list, places, cutoff));
        found.set(name, entry);
      };
      note('operator', items.map((film) => sums[film] as number));
      note('content', parts.map(([content]) => dot(u, content)));
      note('ratings kept', parts.map(([, own]) => dot(u, own)));
      for (const k of blends) note(`blend, k = ${k}`, parts.map(([content, own]) => dot(u, blend(content, own, kept, k))));
    }
  }
  return found;
}

const measured = keptCounts.map(measure);
const names = [...(measured[0]?.keys() ?? [])];
for (const metric of ['recall', 'ndcg'] as const) {
  printTable(
    [`${metric}@${cutoff} of the ${foldSize} films`, ...keptCounts.map((kept) => `${kept} kept`)],
    names.map((name) => [name, ...measured.map((each) => mean(each.get(name)?.[metric] ?? []).toFixed(3))]),
  );
}
