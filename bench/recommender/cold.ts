/**
 * MovieLens latest-small: films with at least 20 ratings lose all of them (or all but the first few), 100 at a time;
 * how near do their related lists come to those of the full data? ndcg@20 against the first 20 of the full answer.
 * Films of the same fold are left out of all lists.
 *   node --import tsx bench/recommender/cold.ts <folder of ml-latest-small> [folds, 5] [ratings kept, 0]
 */
import { defaultSetting } from '../../packages/recommender/engine/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { mean, ndcg, printTable, topOf } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';
import type { Pair } from './readData.ts';
import type { TrainedModel } from '../../packages/recommender/engine/trainedModel.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: cold.ts <folder of ml-latest-small> [folds] [kept]');
const folds = Number(process.argv[3] ?? 5);
const keptRatings = Number(process.argv[4] ?? 0);
const foldSize = 100;
const { entities, pairs } = readMovieLens(folder);
const options = { setting: defaultSetting, seed: 1 };
const ratings = new Map<string, number>();
for (const { target } of pairs) ratings.set(target, (ratings.get(target) ?? 0) + 1);
// Every entity is in each training, so films have the same numbers in all of them.
const eligible = [...ratings].filter(([, count]) => count >= 20).map(([id]) => id).sort();
const full = trainOn(pairs);
const item = new Map(Array.from(full.itemNode, (node, number) => [full.nodes.ids[node] as string, number]));
const genres = new Map(
  entities.map(({ id, metadata }) => [item.get(id) as number, new Set<string>(JSON.parse(metadata).genres)]),
);

function trainOn(kept: readonly Pair[]): TrainedModel {
  // A user who rated nothing else would vanish, so the numbers of users may differ, those of films do not.
  const data = toTrainingData(entities, kept);
  return computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
}

/** All pairs but those of the removed films, of which the first `keptRatings` in time stay. */
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

/** Films by the cosine of their genre sets, equal ones by popularity. */
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

function popular(model: TrainedModel, without: ReadonlySet<number>): number[] {
  const scores = new Float64Array(model.itemNode.length);
  for (let film = 0; film < scores.length; film++) scores[film] = without.has(film) ? 0 : degree(model, film);
  return topOf(scores, 20);
}

const degree = ({ audience }: TrainedModel, film: number): number =>
  (audience.pointer[film + 1] as number) - (audience.pointer[film] as number);

const ours: number[] = [];
const overlap: number[] = [];
const popularity: number[] = [];
for (let fold = 0; fold < folds; fold++) {
  // Every n-th film, so that a fold is not made of neighbours in the alphabet.
  const step = Math.floor(eligible.length / foldSize);
  const removed = eligible.filter((_, place) => place % step === fold % step).slice(0, foldSize);
  const gone = new Set(removed);
  const model = trainOn(withoutRatings(gone));
  const without = new Set(removed.map((id) => item.get(id) as number));
  for (const film of without) {
    const wanted = new Set(listOf(full, film, without));
    if (wanted.size === 0) continue;
    ours.push(ndcg(listOf(model, film, without), wanted, 20));
    overlap.push(ndcg(genreOverlap(model, film, without), wanted, 20));
    popularity.push(ndcg(popular(model, without), wanted, 20));
  }
}
printTable(
  ['ranking', `ndcg@20, ${ours.length} films`],
  [
    ['related list', mean(ours).toFixed(4)],
    ['genre overlap', mean(overlap).toFixed(4)],
    ['popularity', mean(popularity).toFixed(4)],
  ],
);
