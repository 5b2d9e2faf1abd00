/**
 * Gowalla, the LightGCN split: recall@20 and ndcg@20 of the user operator over all test users and all unseen items.
 *   node --import tsx bench/recommender/gowalla.ts <folder with train.txt and test.txt>
 */
import { join } from 'node:path';
import { defaultSetting } from '../../packages/recommender/engine/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { mean, ndcg, printTable, recall, topOf } from './rankings.ts';
import { readUserLines, toTrainingData } from './readData.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: gowalla.ts <folder with train.txt and test.txt>');
const data = toTrainingData([], readUserLines(join(folder, 'train.txt')));
const options = { setting: defaultSetting, seed: 1 };

const cpuSeconds = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
const start = cpuSeconds();
const factors = computeFactors(data, options, () => {});
const between = cpuSeconds();
const model = computeNeighbours(data, factors, options, () => {});
const end = cpuSeconds();

const node = new Map(data.nodes.ids.map((id, number) => [id, number]));
const wanted = new Map<number, Set<number>>();
for (const { source, target } of readUserLines(join(folder, 'test.txt'))) {
  const user = model.nodeUser[node.get(source) ?? -1] ?? -1;
  // Items that the training data does not have stay wanted, as numbers that no list contains.
  const item = model.nodeItem[node.get(target) ?? -1] ?? -1 - Number(target.slice(1));
  if (user < 0) continue;
  wanted.set(user, (wanted.get(user) ?? new Set()).add(item));
}
const recalls: number[] = [];
const ndcgs: number[] = [];
const scores = new Float64Array(model.itemNode.length);
const { history, operator } = model;
for (const [user, items] of wanted) {
  scores.fill(0);
  const seen = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
  for (const item of seen) {
    for (let k = operator.pointer[item] as number; k < (operator.pointer[item + 1] as number); k++) {
      const other = operator.index[k] as number;
      scores[other] = (scores[other] as number) + (operator.value[k] as number);
    }
  }
  for (const item of seen) scores[item] = 0;
  const list = topOf(scores, 20);
  recalls.push(recall(list, items));
  ndcgs.push(ndcg(list, items, 20));
}
printTable(
  ['test users', 'R@20', 'N@20', 'CPU s factors', 'CPU s lists', 'peak MB'],
  [[
    String(wanted.size),
    mean(recalls).toFixed(4),
    mean(ndcgs).toFixed(4),
    (between - start).toFixed(1),
    (end - between).toFixed(1),
    (process.resourceUsage().maxRSS / 1024).toFixed(0),
  ]],
);
