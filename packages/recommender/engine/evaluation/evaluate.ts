import { numberItems } from '../catalogue/numberItems.ts';
import { factorise } from '../factors/factorise.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { giveBackWorkspace, workspaceFor } from '../kernels/workspace.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import { regressionOf } from '../ridge/regressionOf.ts';
import { findCompared } from '../neighbours/comparedItems.ts';
import { CosineRows } from '../neighbours/cosineRows.ts';
import { GramRow } from '../neighbours/gramRow.ts';
import { WholeRows } from '../lists/listRows.ts';
import { OperatorRows } from '../neighbours/operatorRows.ts';
import { visitedRowCost, visitRows } from '../neighbours/visitRows.ts';
import { countEvaluated, drawHeldOut } from './heldOutUsers.ts';
import { noTransitions, transitionRows } from '../time/transitionRows.ts';
import { ProgressMeter } from '../progress/progressMeter.ts';
import { compareMethods } from './compareMethods.ts';
import { contentOf } from '../neighbours/attributes/contentOf.ts';
import { rankUsers } from './rankUsers.ts';
import { scoreByPopularity, scoreByRows, scoreHistory } from './scoreHistory.ts';
import { splitHistory } from './splitHistory.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { Evaluation } from '../data/trainedModel.ts';
import type { TrainingData, TrainingOptions } from '../data/trainingData.ts';

/**
 * The third stage of training: trains the operator again without the last tenth of each user's history and measures how many
 * of these held-out items the first 20 recommendations contain. Popularity and item-kNN are measured on the same users.
 * @param report receives fractions 0 to 1
 * @returns metrics of the operator and both baselines; null if no user has two items, because nothing can then be held out
 * @example
 * const evaluation = evaluate(data, { setting: defaultSetting, seed: 1 }, () => {});
 * console.log(evaluation?.['recall@20'].value);
 */
export function evaluate(
  data: TrainingData,
  options: TrainingOptions,
  report: (fraction: number) => void,
): Evaluation | null {
  const catalogue = numberItems(data);
  const history = buildHistory(data, catalogue);
  const { train, test } = splitHistory(history, catalogue, options.seed);
  const users = drawHeldOut(test, countEvaluated({ train, test }), options.seed + 1).sort();
  if (users.length === 0) return null;

  const items = catalogue.itemNode.length;
  const interactions = toInteractions(train, items, workspaceFor(options.setting), true, options.historyCap);
  const factors = factorise(interactions, options.setting.pu, options.seed, (fraction) => report(0.5 * fraction));
  const groups = catalogue.targetTypes.length;
  const row = new GramRow(interactions, catalogue.itemGroup, groups, options.setting.pu, options.setting.pb);
  // The lists of the evaluated users need the rows of these users' items only: a small part of a large catalogue.
  const wanted = itemsOf(train, users, items);
  const lists = new WholeRows(items, 1);
  const cosine = new CosineRows(interactions);
  const cost = wanted.reduce((sum, item) => sum + row.additions(item) + visitedRowCost, 0);
  const meter = new ProgressMeter(cost, (fraction) => report(0.5 + 0.4 * fraction));
  const compared = options.setting.allPairs === true ? findCompared(createRowTools(interactions), interactions, factors, catalogue.itemGroup, groups) : null;
  const content = (options.setting.content ?? 0) === 0 ? null : contentOf(data.nodes, catalogue.itemNode, interactions);
  const visitors = [new OperatorRows(interactions, factors, options.setting, lists, null, compared, regressionOf(options.setting, interactions, factors), content), cosine];
  visitRows(row, wanted, visitors, (item) => meter.advance(row.additions(item) + visitedRowCost));

  const operator = lists.join();
  const transitions =
    (options.setting.transitions ?? 0) > 0 ? transitionRows(train, catalogue.itemGroup, groups, { wanted }) : noTransitions(items);
  const ours = rankUsers(users, train, test, items, scoreHistory(train, operator, transitions, options.setting));
  report(0.93);
  const knn = rankUsers(users, train, test, items, scoreByRows(train, cosine.finish()));
  report(0.96);
  const popularity = rankUsers(users, train, test, items, scoreByPopularity(train, interactions.itemDegree));
  report(1);
  giveBackWorkspace(interactions.workspace);
  return compareMethods({ ours, knn, popularity }, items, options.seed + 2);
}

/** The items that the given users like or dislike, in ascending order. */
function itemsOf(history: History, users: Int32Array, items: number): Int32Array {
  const met = new Uint8Array(items);
  for (const user of users) {
    for (const item of history.index.subarray(history.pointer[user], history.pointer[user + 1])) met[item] = 1;
    const { disliked } = history;
    if (disliked === undefined) continue;
    for (const item of disliked.index.subarray(disliked.pointer[user], disliked.pointer[user + 1])) met[item] = 1;
  }
  return Int32Array.from(met.keys()).filter((item) => met[item] === 1);
}
