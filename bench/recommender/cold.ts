/**
 * Related items of new films, on MovieLens latest-small: films with at least 20 ratings lose all ratings, or all but the first
 * few, 100 films at a time. The score compares their related lists with the lists of the full data: ndcg@20 against the first 20
 * items of the full list. All lists omit films of the same fold. Baselines: attributes alone, with equal weights or weighted by
 * idf or lift, and rankings by cosine with the embedding of the content, of the first few ratings, and of both (the engine's
 * blend).
 *   node --import tsx bench/recommender/cold.ts <folder of ml-latest-small> [folds, 5] [ratings kept, 0]
 */
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { mean, ndcg, printTable, topOf } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';
import type { Pair } from './readData.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: cold.ts <folder of ml-latest-small> [folds] [kept]');
const folds = Number(process.argv[3] ?? 5);
const keptRatings = Number(process.argv[4] ?? 0);
const foldSize = 100;
const { entities, pairs } = readMovieLens(folder);
const options = { setting: defaultSetting, seed: 1 };
const ratings = new Map<string, number>();
for (const { target } of pairs) ratings.set(target, (ratings.get(target) ?? 0) + 1);
// Each training contains every entity, so films have the same numbers in all trainings.
const eligible = [...ratings].filter(([, count]) => count >= 20).map(([id]) => id).sort();
const full = trainOn(pairs);
const item = new Map(Array.from(full.itemNode, (node, number) => [full.nodes.ids[node] as string, number]));
const genres = new Map(
  entities.map(({ id, metadata }) => [item.get(id) as number, new Set<string>(JSON.parse(metadata).genres)]),
);

function trainOn(kept: readonly Pair[]): TrainedModel {
  // Users without remaining ratings disappear, so the numbers of users may differ; the numbers of films do not.
  const data = toTrainingData(entities, kept);
  return computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
}

/** Returns all pairs without the removed films' ratings, except the earliest `keptRatings` ratings of each removed film. */
function withoutRatings(gone: ReadonlySet<string>): Pair[] {
  const seen = new Map<string, number>();
  return pairs
    .toSorted((a, b) => a.time - b.time)
    .filter(({ target }) => {
      if (!gone.has(target)) return true;
      seen.set(target, (seen.get(target) ?? 0) + 1);
      return (seen.get(target) ?? 0) <= keptRatings;
    });
}

function listOf({ related }: TrainedModel, film: number, without: ReadonlySet<number>): number[] {
  const row = related.index.subarray(related.pointer[film], related.pointer[film + 1]);
  return Array.from(row).filter((other) => !without.has(other)).slice(0, 20);
}

/** Ranks films by the cosine of their genre sets, then by popularity. */
function genreOverlap(model: TrainedModel, film: number, without: ReadonlySet<number>): number[] {
  const own = genres.get(film) ?? new Set();
  const scores = new Float64Array(model.itemNode.length);
  for (const [other, theirs] of genres) {
    if (other === film || without.has(other)) continue;
    const shared = [...own].filter((genre) => theirs.has(genre)).length;
    if (shared > 0) scores[other] = shared / Math.sqrt(own.size * theirs.size) + 1e-9 * degree(model, other);
  }
  return topOf(scores, 20);
}

/** Ranks films by the cosine of their weighted attributes. */
function attributeCosine({ attributes, itemNode }: TrainedModel, film: number, without: ReadonlySet<number>, weightOf: (column: number) => number): number[] {
  const columns = (item: number): Int32Array => attributes.index.subarray(attributes.pointer[item], attributes.pointer[item + 1]);
  const length = (item: number): number => Math.sqrt(columns(item).reduce((sum, column) => sum + weightOf(column) ** 2, 0));
  const own = new Set(columns(film));
  const scores = new Float64Array(itemNode.length);
  for (let other = 0; other < scores.length; other++) {
    if (other === film || without.has(other)) continue;
    const dot = columns(other).reduce((sum, column) => sum + (own.has(column) ? weightOf(column) ** 2 : 0), 0);
    scores[other] = dot === 0 ? 0 : dot / length(other);
  }
  return topOf(scores, 20);
}

/** Ranks films by the cosine of their embedding with a vector. Returns an empty list for a zero vector. */
function nearest({ embedding, rank }: TrainedModel, norms: Float64Array, vector: Float64Array, without: ReadonlySet<number>): number[] {
  const scores = norms.map((norm, other) => {
    if (norm === 0 || without.has(other)) return 0;
    let dot = 0;
    for (let k = 0; k < rank; k++) dot += (vector[k] as number) * (embedding[other * rank + k] as number);
    return dot / norm;
  });
  return topOf(scores, 20);
}

/** Returns the embedding predicted from the attributes, the embedding of the ratings, and both combined. */
function partsOf(model: TrainedModel, film: number): { content: Float64Array; ratings: Float64Array; both: Float64Array } {
  const { rank, attributes, ridge, vectors, eigenvalues, embedding } = model;
  const content = new Float64Array(rank);
  for (let at = attributes.pointer[film] as number; at < (attributes.pointer[film + 1] as number); at++) {
    const base = (attributes.index[at] as number) * rank;
    for (let k = 0; k < rank; k++) content[k] = (content[k] as number) + (attributes.value[at] as number) * (ridge[base + k] as number);
  }
  return {
    content,
    ratings: Float64Array.from({ length: rank }, (_, k) => (vectors[film * rank + k] as number) * Math.sqrt(eigenvalues[k] as number)),
    both: Float64Array.from(embedding.subarray(film * rank, (film + 1) * rank)),
  };
}

function popular(model: TrainedModel, without: ReadonlySet<number>): number[] {
  const scores = new Float64Array(model.itemNode.length);
  for (let film = 0; film < scores.length; film++) scores[film] = without.has(film) ? 0 : degree(model, film);
  return topOf(scores, 20);
}

const degree = ({ audience }: TrainedModel, film: number): number =>
  (audience.pointer[film + 1] as number) - (audience.pointer[film] as number);

const found = new Map<string, number[]>();
const note = (name: string, value: number): void => void found.set(name, [...(found.get(name) ?? []), value]);
for (let fold = 0; fold < folds; fold++) {
  // Takes every n-th film, so that a fold does not consist of alphabetical neighbours.
  const step = Math.floor(eligible.length / foldSize);
  const removed = eligible.filter((_, place) => place % step === fold % step).slice(0, foldSize);
  const gone = new Set(removed);
  const model = trainOn(withoutRatings(gone));
  const without = new Set(removed.map((id) => item.get(id) as number));
  const { rank, embedding, attributes } = model;
  const norms = Float64Array.from(model.itemNode, (_, other) => Math.hypot(...embedding.subarray(other * rank, (other + 1) * rank)));
  const carriers = new Float64Array(attributes.field.length);
  for (const column of attributes.index) carriers[column] = (carriers[column] as number) + 1;
  const weights: Record<string, (column: number) => number> = {
    'attributes, equal': () => 1,
    'attributes, idf': (column) => Math.log(1 + model.itemNode.length / (carriers[column] as number)),
    'attributes, lift': (column) => Math.sqrt((attributes.lift[column] as number) + 0.05),
  };
  for (const film of without) {
    const wanted = new Set(listOf(full, film, without));
    if (wanted.size === 0) continue;
    note('related list', ndcg(listOf(model, film, without), wanted, 20));
    const { content, ratings, both } = partsOf(model, film);
    note('embedding of the content', ndcg(nearest(model, norms, content, without), wanted, 20));
    if (keptRatings > 0) note('embedding of the ratings kept', ndcg(nearest(model, norms, ratings, without), wanted, 20));
    note('blended embedding', ndcg(nearest(model, norms, both, without), wanted, 20));
    for (const [name, weightOf] of Object.entries(weights)) note(name, ndcg(attributeCosine(model, film, without, weightOf), wanted, 20));
    note('genre overlap', ndcg(genreOverlap(model, film, without), wanted, 20));
    note('popularity', ndcg(popular(model, without), wanted, 20));
  }
}
printTable(
  ['ranking', `ndcg@20, ${found.get('related list')?.length ?? 0} films, ${keptRatings} ratings kept`],
  [...found].map(([name, values]) => [name, mean(values).toFixed(4)]),
);
