/**
 * Measures the loss of quality if factors are computed from a sample of the users, while candidates, degrees and histories use
 * all users. Holds out a random tenth of each user's training interactions, so that the test set influences no decision.
 *   node --import tsx bench/recommender/factorSample.ts <data>/gowalla/train.txt [share …]
 */
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { numberItems } from '../../packages/recommender/engine/catalogue/numberItems.ts';
import { splitHistory } from '../../packages/recommender/engine/evaluation/splitHistory.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { buildHistory } from '../../packages/recommender/engine/matrix/buildHistory.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import type { TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import { printTable } from './rankings.ts';
import { readUserItems, toPairs } from './readUserItems.ts';
import { measure } from './recommend.ts';
import type { HeldOut } from './holdOut.ts';

const [path, ...given] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: factorSample.ts <train.txt> [share …]');
const shares = given.length === 0 ? [1, 0.5, 0.25] : given.map(Number);
const seeds = [1, 2];

/** Splits off a random tenth of each user's interactions. */
function holdOut(data: TrainingData, seed: number): HeldOut {
  const catalogue = numberItems(data);
  const { train, test } = splitHistory(buildHistory(data, catalogue), catalogue, seed);
  const wanted = new Map<string, string[]>();
  const source = new Int32Array(train.index.length);
  for (let user = 0; user < catalogue.userNode.length; user++) {
    const node = catalogue.userNode[user] as number;
    source.fill(node, train.pointer[user], train.pointer[user + 1]);
    const items = test.index.subarray(test.pointer[user], test.pointer[user + 1]);
    if (items.length > 0) wanted.set(data.nodes.ids[node] as string, Array.from(items, (item) => data.nodes.ids[catalogue.itemNode[item] as number] as string));
  }
  const target = train.index.map((item) => catalogue.itemNode[item] as number);
  return { data: { ...data, pairs: { count: source.length, source, target, time: train.time } }, wanted };
}

const cpuSeconds = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;

const whole = toPairs(await readUserItems(path));
const rows: string[][] = [];
for (const seed of seeds) {
  const { data, wanted } = holdOut(whole, seed);
  let first: { recall: number; ndcg: number } | null = null;
  for (const share of shares) {
    const options = { setting: defaultSetting, seed };
    const start = cpuSeconds();
    const factors = computeFactors(data, options, () => {}, share);
    const seconds = cpuSeconds() - start;
    const { recall, ndcg, users } = measure(computeNeighbours(data, factors, options, () => {}), wanted, 20);
    first ??= { recall, ndcg };
    const change = (value: number, of: number): string => `${(100 * (value / of - 1)).toFixed(1)} %`;
    rows.push([
      String(seed), `${100 * share} %`, recall.toFixed(4), ndcg.toFixed(4), change(recall, first.recall), change(ndcg, first.ndcg), seconds.toFixed(1), String(users),
    ]);
  }
}
printTable(['seed', 'users of the factors', 'recall@20', 'ndcg@20', 'recall, change', 'ndcg, change', 'CPU s factors', 'users ranked'], rows);
