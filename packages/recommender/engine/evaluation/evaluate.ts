import { numberItems } from '../catalogue/numberItems.ts';
import { factorise } from '../factors/factorise.ts';
import { SeededRandom } from '../linear/random.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { CosineRows } from '../neighbours/cosineRows.ts';
import { GramRow } from '../neighbours/gramRow.ts';
import { OperatorRows } from '../neighbours/operatorRows.ts';
import { visitedRowCost, visitRows } from '../neighbours/visitRows.ts';
import { ProgressMeter } from '../progress/progressMeter.ts';
import { bootstrapMeans } from './bootstrap.ts';
import { rankUsers, scoreByRows } from './rankUsers.ts';
import { splitHistory } from './splitHistory.ts';
import type { UserMetrics } from './rankUsers.ts';
import type { Estimate, Evaluation, RankingMetrics, SparseRows } from '../trainedModel.ts';
import type { TrainingData, TrainingOptions } from '../trainingData.ts';

/** Users whose lists are compared; more would not narrow the intervals noticeably. */
const sampledUsers = 3000;

/**
 * The third stage of training: trains the operator again without each user's last tenth and asks how much of it the
 * first 20 of all unseen items contain, beside popularity and item-kNN on the same users.
 * @param report receives fractions 0 to 1
 * @returns null when nobody has two items, so that nothing can be held out
 */
export function evaluate(
  data: TrainingData,
  options: TrainingOptions,
  report: (fraction: number) => void,
): Evaluation | null {
  const catalogue = numberItems(data);
  const history = buildHistory(data, catalogue);
  const { train, test } = splitHistory(history, catalogue, options.seed);
  const users = sampleUsers(test, options.seed);
  if (users.length === 0) return null;

  const items = catalogue.itemNode.length;
  const interactions = toInteractions(train, items);
  const factors = factorise(interactions, options.setting.pu, options.seed, (fraction) => report(0.5 * fraction));
  const groups = catalogue.targetTypes.length;
  const row = new GramRow(interactions, catalogue.itemGroup, groups, options.setting.pu, options.setting.pb);
  const operator = new OperatorRows(interactions, factors, options.setting);
  const cosine = new CosineRows(interactions);
  const meter = new ProgressMeter(row.cost() + visitedRowCost * items, (fraction) => report(0.5 + 0.4 * fraction));
  visitRows(row, items, [operator, cosine], meter);

  const ours = rankUsers(users, train, test, items, scoreByRows(train, operator.finish()));
  report(0.93);
  const knn = rankUsers(users, train, test, items, scoreByRows(train, cosine.finish()));
  report(0.96);
  const popularity = rankUsers(users, train, test, items, (_, out) => out.set(interactions.itemDegree));
  report(1);
  return compare(ours, knn, popularity, users.length, items, options.seed);
}

/** Users with held-out items, at most 3,000 of them (drawn with the seed), ascending. */
function sampleUsers(test: SparseRows, seed: number): Int32Array {
  const users: number[] = [];
  for (let user = 0; user + 1 < test.pointer.length; user++) {
    if ((test.pointer[user + 1] as number) > (test.pointer[user] as number)) users.push(user);
  }
  const random = new SeededRandom(seed + 1);
  const wanted = Math.min(sampledUsers, users.length);
  for (let place = 0; place < wanted; place++) {
    const from = place + random.below(users.length - place);
    [users[place], users[from]] = [users[from] as number, users[place] as number];
  }
  return Int32Array.from(users.slice(0, wanted)).sort();
}

function compare(
  ours: UserMetrics,
  knn: UserMetrics,
  popularity: UserMetrics,
  users: number,
  items: number,
  seed: number,
): Evaluation {
  const recallGain = ours.recall.map((value, place) => value - (popularity.recall[place] as number));
  const ndcgGain = ours.ndcg.map((value, place) => value - (popularity.ndcg[place] as number));
  const estimates = bootstrapMeans(
    [ours.recall, ours.ndcg, knn.recall, knn.ndcg, popularity.recall, popularity.ndcg, recallGain, ndcgGain],
    seed + 2,
  );
  const metrics = (first: number): RankingMetrics => ({
    'recall@20': estimates[first] as Estimate,
    'ndcg@20': estimates[first + 1] as Estimate,
  });
  const better = (estimates[6] as Estimate).low > 0 && (estimates[7] as Estimate).low > 0;
  return {
    ...metrics(0),
    coverage: ours.covered.reduce((count, covered) => count + covered, 0) / items,
    popularity: metrics(4),
    'item-knn': metrics(2),
    users,
    verdict: better ? 'better than popularity' : 'not better than popularity yet',
  };
}
