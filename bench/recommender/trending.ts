/**
 * Quality of trending films, on MovieLens latest-small: at the beginning of each month, compares the 100 trending films with the
 * ratings of the next 30 days. Prints the mean of recall@100 over the months with enough ratings.
 *   node --import tsx bench/recommender/trending.ts <folder of ml-latest-small> [months, default 36]
 */
import { buildHistory } from '../../packages/recommender/engine/matrix/buildHistory.ts';
import { numberItems } from '../../packages/recommender/engine/catalogue/numberItems.ts';
import { computeTrend } from '../../packages/recommender/engine/time/computeTrend.ts';
import { mean, printTable, recall, topOf } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: trending.ts <folder of ml-latest-small> [months]');
const months = Number(process.argv[3] ?? 36);
const days30 = 30 * 86_400_000;
const fewest = 200;
const { entities, pairs } = readMovieLens(folder);
const newest = Math.max(...pairs.map(({ time }) => time));
const results: Record<'trend' | 'popularity' | 'last 30 days', number[]> = {
  trend: [],
  popularity: [],
  'last 30 days': [],
};
for (let back = 1; results.trend.length < months && back < 300; back++) {
  const now = newest - back * days30;
  const before = pairs.filter(({ time }) => time <= now);
  const next = pairs.filter(({ time }) => time > now && time <= now + days30);
  if (next.length < fewest || before.length < 10_000) continue;
  const data = toTrainingData(entities, before);
  const catalogue = numberItems(data);
  const items = catalogue.itemNode.length;
  const item = new Map(Array.from(catalogue.itemNode, (node, number) => [data.nodes.ids[node] as string, number]));
  const wanted = new Set(next.map(({ target }) => item.get(target) as number));
  const trend = Float64Array.from(computeTrend(buildHistory(data, catalogue), items).trend);
  results.trend.push(recall(topOf(trend, 100), wanted));
  const all = new Float64Array(items);
  const recent = new Float64Array(items);
  for (const { target, time } of before) {
    const of = item.get(target) as number;
    all[of] = (all[of] as number) + 1;
    if (time > now - days30) recent[of] = (recent[of] as number) + 1;
  }
  results.popularity.push(recall(topOf(all, 100), wanted));
  results['last 30 days'].push(recall(topOf(recent, 100), wanted));
}
printTable(
  ['ranking', `recall@100, mean of ${results.trend.length} months`],
  Object.entries(results).map(([name, values]) => [name, mean(values).toFixed(4)]),
);
