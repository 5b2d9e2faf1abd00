import { numberItems } from '../catalogue/numberItems.ts';
import { giveBackWorkspace, takeWorkspace } from '../kernels/workspace.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { splitHistory, type Split } from '../evaluation/splitHistory.ts';
import { countEvaluated, drawHeldOut, evaluatedUsers, fewestDeciding } from '../evaluation/heldOutUsers.ts';
import { sampleUsers } from './sampleUsers.ts';
import { chooseContent, contentShares } from './chooseContent.ts';
import { chooseTime, horizonEnds, timeGrid } from './chooseTime.ts';
import { contentOf } from '../neighbours/attributes/contentOf.ts';
import { giveBack } from './giveBack.ts';
import { reachOf } from './reach.ts';
import { Results } from './results.ts';
import { allowedWork, costlyWork, mixtureWork, regressionWork } from './allowedWork.ts';
import { searchSettings } from './searchSettings.ts';
import { isCutShort } from './servedLists.ts';
import { Trial } from './trial.ts';
import { trainingWork } from './work.ts';
import { defaultSetting } from '../data/defaultSetting.ts';
import type { ChosenPart, Search, SettingChoice } from './choice.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { TrainingData } from '../data/trainingData.ts';

/**
 * Maximum numbers of users: all users who decide on exponents, and the users who decide on time and on metadata.
 */
const decidingUsers = 3000;
const timeUsers = 2000;
const contentUsers = 2000;
/**
 * The first users have about this many held-out items: users with a single held-out item each tell less than users with many
 * items, and their lists cost less.
 */
const firstHeldOut = 1600;
const fewestFirst = 500;
/**
 * Reach at which the search tries no settings with all pairs. Of a sample of the users, the interactions are sparser than of
 * all users, so that the comparison favours these settings; then a lower reach suffices.
 */
const denseReach = { whole: 0.9, sample: 0.7 } as const;
/** Users whose held-out items tell the reach. */
const reachUsers = 500;
/** Expected number of measurements of a search, used only to report progress. */
const expectedMeasurements = 70;
/**
 * Maximum number of interactions for a choice, because computing factors for several settings costs several times a
 * training's factors.
 */
const sampledEntries = 2_000_000;
/** With fewer users, differences between settings are mostly chance, so the default is used. */
const minUsers = 50;
/** Times influence lists only if at least this share of the interactions has a time. */
const timedShare = 0.5;
/**
 * Chooses the setting on held-out interactions: the last tenth (at least one) of each user's items in time order, or random
 * items without times. Settings are compared by recall@20 + ndcg@20 of lists over all unseen items, and ways to use time also at
 * nearer horizons, see `chooseTime`. The deciding users are not the users whose lists the evaluation compares; if there are too few
 * users, another tenth is held out from the evaluation's training part. In both cases, the evaluation measures interactions that no
 * choice has used. With more than 2 million interactions, a sample of users takes part.
 * @param part `time` keeps the default exponents
 * @param report receives fractions 0 to 1
 * @returns the choice; null if there is nothing to choose or there are too few users
 */
export function chooseSetting(
  data: TrainingData,
  part: ChosenPart,
  seed: number,
  report: (fraction: number) => void,
): SettingChoice | null {
  const catalogue = numberItems(data);
  const whole = buildHistory(data, catalogue);
  const timed = isTimed(whole);
  if (part === 'time' && !timed) return null;
  const items = catalogue.itemNode.length;
  const split = holdOut(whole, catalogue, seed);
  if (split.users.length < minUsers) return null;
  const reach = part === 'exponents' ? reachOf(split.train, split.test, split.users.subarray(0, reachUsers), items) : 1;
  const { train, test, users } = sampleUsers(split, split.users, sampledEntries, seed);

  // A search makes enough products to use the kernels on small data too.
  const interactions = toInteractions(train, items, part === 'exponents' ? takeWorkspace() : undefined);
  const trial = new Trial(interactions, train, test, catalogue, seed, () => contentOf(data.nodes, catalogue.itemNode, interactions));
  const results = new Results(trial, users, report);
  results.expect((part === 'exponents' ? expectedMeasurements + contentShares.length : 0) + (timed ? timeGrid.length : 0));
  let chosen = defaultSetting;
  let search: Search | null = null;
  if (part === 'exponents') {
    const training = trainingWork(whole, items, trial.productsFor(defaultSetting.pu));
    const dense = train === split.train ? denseReach.whole : denseReach.sample;
    const regressions = regressionWork(interactions, reach < dense);
    const grounds = {
      trial, results, deciding: users, regressions, mixture: mixtureWork(interactions), training, allowed: allowedWork(training) + regressions, costly: costlyWork + regressions,
      entries: interactions.rows.index.length, firstUsers: firstUsers(test, users), users: users.length, reach, denseReach: dense, isSmallCatalogue: isCutShort(items),
    };
    ({ chosen, search } = searchSettings(grounds));
  }
  if (timed) {
    const first = users.subarray(0, timeUsers);
    chosen = chooseTime(trial, results, chosen, first, horizonEnds(whole, train, test, first));
  }
  if (part === 'exponents') chosen = chooseContent(trial, results, chosen, users.subarray(0, contentUsers));
  report(1);
  giveBackWorkspace(interactions.workspace);
  const candidates = results.candidates();
  const deciding = candidates.reduce((most, candidate) => Math.max(most, candidate.users), 0);
  return { candidates, chosen, users: deciding, ...(search === null ? {} : { search }) };
}

/**
 * Holds interactions out for the choice.
 * @returns the split, and the users who decide
 */
export function holdOut(whole: History, catalogue: Catalogue, seed: number): Split & { users: Int32Array } {
  const evaluated = splitHistory(whole, catalogue, seed);
  const drawn = drawHeldOut(evaluated.test, evaluatedUsers + decidingUsers, seed + 1);
  const count = countEvaluated(evaluated);
  if (drawn.length - count >= Math.min(count, fewestDeciding)) {
    // The evaluated users' items stay hidden, so that the evaluation measures interactions that no choice has used.
    return { ...giveBack(whole, evaluated, drawn, seed + 6), users: drawn.subarray(count) };
  }
  const further = splitHistory(evaluated.train, catalogue, seed + 3);
  const users = drawHeldOut(further.test, decidingUsers, seed + 4);
  return { ...giveBack(evaluated.train, further, users, seed + 6), users };
}

/** Number of users on whom contenders are compared. */
function firstUsers(test: SparseRows, users: Int32Array): number {
  let heldOut = 0;
  let count = 0;
  while (count < users.length && (heldOut < firstHeldOut || count < fewestFirst)) {
    const user = users[count++] as number;
    heldOut += (test.pointer[user + 1] as number) - (test.pointer[user] as number);
  }
  return count;
}

function isTimed({ time }: History): boolean {
  let known = 0;
  for (const at of time) if (!Number.isNaN(at)) known++;
  return known > 0 && known >= timedShare * time.length;
}
