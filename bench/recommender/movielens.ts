/**
 * MovieLens latest-small, with the last 10 % of each user's ratings held out by time. Compares the settings that a training
 * chooses (default exponents with time, and auto) with the flat operator, popularity and item-kNN, over all unseen films.
 *   node --import tsx bench/recommender/movielens.ts <folder of ml-latest-small>
 */
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { ItemScores } from '../../packages/recommender/engine/evaluation/itemScores.ts';
import { scoreHistory } from '../../packages/recommender/engine/evaluation/scoreHistory.ts';
import { train } from '../../packages/recommender/testing/train.ts';
import { mean, ndcg, printTable, recall, topOf } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';
import type { Pair } from './readData.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';
import type { OperatorSetting } from '../../packages/recommender/engine/data/trainingData.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: movielens.ts <folder of ml-latest-small>');
const { entities, pairs } = readMovieLens(folder);
const byUser = new Map<string, Pair[]>();
for (const pair of pairs) byUser.set(pair.source, [...(byUser.get(pair.source) ?? []), pair]);
const kept: Pair[] = [];
const heldOut: Pair[] = [];
for (const own of byUser.values()) {
  own.sort((a, b) => a.time - b.time);
  const split = own.length - Math.max(1, Math.round(own.length / 10));
  kept.push(...own.slice(0, split));
  heldOut.push(...own.slice(split));
}
const data = toTrainingData(entities, kept);
const seed = 1;
const trainWith = (setting: OperatorSetting): TrainedModel => train(data, { setting, seed }, () => {});
const chosen = (part: 'time' | 'exponents'): OperatorSetting => chooseSetting(data, part, seed, () => {})?.chosen ?? defaultSetting;
const model = trainWith(chosen('time'));
const automatic = trainWith(chosen('exponents'));
const node = new Map(data.nodes.ids.map((id, number) => [id, number]));
const wanted = new Map<number, Set<number>>();
for (const { source, target } of heldOut) {
  const user = model.nodeUser[node.get(source) ?? -1] as number;
  wanted.set(user, (wanted.get(user) ?? new Set()).add(model.nodeItem[node.get(target) ?? -1] as number));
}

type Score = (seen: Int32Array, out: Float64Array, user: number) => void;

function asServed({ history, operator, transitions, setting, itemNode }: TrainedModel): Score {
  const scoreUser = scoreHistory(history, operator, transitions, setting);
  const scores = new ItemScores(itemNode.length);
  return (_, out, user) => {
    scores.clear();
    scoreUser(user, scores);
    out.set(scores.value);
  };
}

function byOperator({ operator }: TrainedModel): Score {
  return (seen, out) => {
    for (const item of seen) {
      for (let k = operator.pointer[item] as number; k < (operator.pointer[item + 1] as number); k++) {
        const other = operator.index[k] as number;
        out[other] = (out[other] as number) + (operator.value[k] as number);
      }
    }
  };
}

function byPopularity({ audience }: TrainedModel): Score {
  return (_, out) => out.forEach((_zero, item) => (out[item] = degreeOf(audience, item)));
}

const degreeOf = ({ pointer }: TrainedModel['audience'], item: number): number =>
  (pointer[item + 1] as number) - (pointer[item] as number);

/** Item-kNN with complete cosine rows: the sum over the history of c_ij / sqrt(n_i n_j). */
function byCosine({ audience, history }: TrainedModel): Score {
  return (seen, out) => {
    for (const item of seen) {
      for (const user of audience.index.subarray(audience.pointer[item], audience.pointer[item + 1])) {
        for (const other of history.index.subarray(history.pointer[user], history.pointer[user + 1])) {
          const cosine = 1 / Math.sqrt(degreeOf(audience, item) * degreeOf(audience, other));
          out[other] = (out[other] as number) + cosine;
        }
      }
    }
  };
}

function measure(name: string, score: Score): string[] {
  const recalls: number[] = [];
  const ndcgs: number[] = [];
  for (const [user, items] of wanted) {
    const scores = new Float64Array(model.itemNode.length);
    const seen = model.history.index.subarray(model.history.pointer[user], model.history.pointer[user + 1]);
    score(seen, scores, user);
    for (const item of seen) scores[item] = 0;
    const list = topOf(scores, 20);
    recalls.push(recall(list, items));
    ndcgs.push(ndcg(list, items, 20));
  }
  return [name, mean(recalls).toFixed(4), mean(ndcgs).toFixed(4)];
}

printTable(
  ['ranking', 'R@20', 'N@20'],
  [
    measure('default exponents, time as chosen', asServed(model)),
    measure('auto', asServed(automatic)),
    measure('flat operator', byOperator(model)),
    measure('popularity', byPopularity(model)),
    measure('item-kNN, cosine', byCosine(model)),
  ],
);
console.log(`\nchosen: ${JSON.stringify(model.setting)}, ${JSON.stringify(automatic.setting)}`);
console.log('\nevaluation inside the training (a further tenth held out):');
console.log(JSON.stringify(model.evaluation, null, 2));
