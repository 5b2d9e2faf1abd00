/**
 * Measures the approximate search over all pairs (comparedItems.ts): the share of an item's best entries in the exact operator row
 * that the row of an approximate search contains, by the number of compared items.
 *   node --import tsx bench/recommender/allPairs.ts <train file> [sampled items, 500] [setting as JSON]
 * Each line of the file is `user item item …`. The sample is drawn from all items with users, and a second time with the number of
 * users as the weight, because lists of users consist of the rows of the items in their histories.
 */
import { numberItems } from '../../packages/recommender/engine/catalogue/numberItems.ts';
import type { OperatorSetting } from '../../packages/recommender/engine/data/trainingData.ts';
import { factorise } from '../../packages/recommender/engine/factors/factorise.ts';
import { createRowTools } from '../../packages/recommender/engine/kernels/createRowTools.ts';
import { takeWorkspace } from '../../packages/recommender/engine/kernels/workspace.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { WholeRows, type ScoredRows } from '../../packages/recommender/engine/lists/listRows.ts';
import { buildHistory } from '../../packages/recommender/engine/matrix/buildHistory.ts';
import { toInteractions } from '../../packages/recommender/engine/matrix/interactions.ts';
import { findCompared } from '../../packages/recommender/engine/neighbours/comparedItems.ts';
import { GramRow } from '../../packages/recommender/engine/neighbours/gramRow.ts';
import { OperatorRows } from '../../packages/recommender/engine/neighbours/operatorRows.ts';
import { visitRows } from '../../packages/recommender/engine/neighbours/visitRows.ts';
import { regressionOf } from '../../packages/recommender/engine/ridge/regressionOf.ts';
import { printTable } from './rankings.ts';
import { readUserItems, toPairs } from './readUserItems.ts';

const [path, sampled = '500', text] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: allPairs.ts <train file> [sampled items, 500] [setting as JSON]');
const setting = (text === undefined ? { pu: -0.5, pa: -0.5, pb: -0.05, T: -1, b: 2, allPairs: true } : JSON.parse(text)) as OperatorSetting;
const limits = [1024, 2048, 4096, 8192];
const places = [20, 100, 400];

const data = toPairs(await readUserItems(path));
const catalogue = numberItems(data);
const items = catalogue.itemNode.length;
const interactions = toInteractions(buildHistory(data, catalogue), items, takeWorkspace());
const factors = factorise(interactions, setting.pu, 1, () => {});
const ridge = regressionOf(setting, interactions, factors);
const random = createRandom(3);
const { itemDegree, rows } = interactions;
const used = [...itemDegree.keys()].filter((item) => (itemDegree[item] as number) > 0);
const samples: Record<string, Int32Array> = {
  'any item': draw(() => used[random.below(used.length)] as number),
  'item of an interaction': draw(() => rows.index[random.below(rows.index.length)] as number),
};

function draw(next: () => number): Int32Array {
  const drawn = new Set<number>();
  while (drawn.size < Math.min(Number(sampled), used.length)) drawn.add(next());
  return Int32Array.from(drawn).sort();
}

function operatorOf(sample: Int32Array, limit: number): ScoredRows {
  const lists = new WholeRows(items, 2);
  const compared = findCompared(createRowTools(interactions), interactions, factors, catalogue.itemGroup, catalogue.targetTypes.length, limit);
  const row = new GramRow(interactions, catalogue.itemGroup, catalogue.targetTypes.length, setting.pu, setting.pb);
  visitRows(row, sample, [new OperatorRows(interactions, factors, setting, lists, null, compared, ridge)]);
  return lists.join();
}

function recallAt(sample: Int32Array, exact: ScoredRows, found: ScoredRows, k: number): number {
  let [wanted, hits] = [0, 0];
  for (const item of sample) {
    const best = exact.index.subarray(exact.pointer[item], Math.min((exact.pointer[item] as number) + k, exact.pointer[item + 1] as number));
    const own = new Set(found.index.subarray(found.pointer[item], found.pointer[item + 1]));
    wanted += best.length;
    for (const other of best) if (own.has(other)) hits++;
  }
  return hits / wanted;
}

const table = Object.entries(samples).flatMap(([name, sample]) => {
  const exact = operatorOf(sample, items);
  return limits.filter((limit) => limit < items).map((limit) => {
    const found = operatorOf(sample, limit);
    return [name, String(limit), ...places.map((k) => recallAt(sample, exact, found, k).toFixed(3))];
  });
});
process.stdout.write(`${items} items, ${used.length} with users\n`);
printTable(['row of', 'compared items', ...places.map((k) => `of the best ${k}`)], table);
