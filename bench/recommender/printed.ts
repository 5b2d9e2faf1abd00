/**
 * Prints lists for a reader, as Markdown: the related films of ten films and the lists of ten users of MovieLens latest-small, drawn at random, with the setting
 * that a training without parameters chooses. Films have at least 50 ratings, because readers know those.
 *   node --import tsx bench/recommender/printed.ts <folder with movies.csv and ratings.csv> [seed, 1]
 */
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import { train } from '../../packages/recommender/testing/train.ts';
import { withModel } from '../../packages/recommender/testing/withModel.ts';
import { readMovieLens, toTrainingData } from './readData.ts';

const [folder, seedText = '1'] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: printed.ts <folder with movies.csv and ratings.csv> [seed]');
const [printed, length, latest, fewestRatings] = [10, 10, 5, 50];
const { entities, pairs } = readMovieLens(folder);
const data = toTrainingData(entities, pairs);
const names = new Map(entities.map(({ id, name }) => [id, name]));
const ratings = new Map<string, number>();
for (const { target } of pairs) ratings.set(target, (ratings.get(target) ?? 0) + 1);
const histories = new Map<string, typeof pairs>();
for (const pair of pairs) histories.set(pair.source, [...(histories.get(pair.source) ?? []), pair]);

const setting = chooseSetting(data, 'exponents', 1, () => {})?.chosen ?? defaultSetting;
await withModel(train(data, { setting, seed: 1 }, () => {}), (model) => {
  const recommender = new Recommender(model);
  const node = new Map(data.nodes.ids.map((id, number) => [id, number]));
  const listOf = (id: string): string => {
    const { count, item, score } = recommender.recommend(node.get(id) ?? -1, { types: null, limit: length, threshold: 0 });
    return Array.from({ length: count }, (_, place) =>
      `${names.get(model.ids.get(model.itemNode[item[place] as number] as number))} ${(score[place] as number).toFixed(2)}`).join(' · ');
  };
  const random = createRandom(Number(seedText));
  const draw = (ids: string[]): string[] => Array.from({ length: printed }, () => ids.splice(random.below(ids.length), 1)[0] as string);
  console.log(`Setting: ${JSON.stringify(setting)}\n\n| film | related films, with scores |\n|---|---|`);
  for (const id of draw([...ratings.keys()].filter((film) => (ratings.get(film) ?? 0) >= fewestRatings).sort())) {
    console.log(`| ${names.get(id)} | ${listOf(id)} |`);
  }
  console.log('\n| user | latest films | list, with scores |\n|---|---|---|');
  for (const id of draw([...histories.keys()].sort())) {
    const own = (histories.get(id) ?? []).toSorted((a, b) => b.time - a.time);
    console.log(`| ${id}, ${own.length} ratings | ${own.slice(0, latest).map(({ target }) => names.get(target)).join(' · ')} | ${listOf(id)} |`);
  }
});
