import { numberItems } from '../catalogue/numberItems.ts';
import { giveBackWorkspace, takeWorkspace } from '../kernels/workspace.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { sampleUsers } from './sampleUsers.ts';
import { chooseContent, contentShares } from './chooseContent.ts';
import { chooseTime, horizonEnds, timeGrid } from './chooseTime.ts';
import { contentOf } from '../neighbours/attributes/contentOf.ts';
import { countDraws, holdOut, type HoldOut } from './holdOut.ts';
import { reachOf } from './reach.ts';
import { Results } from './results.ts';
import { allowedWork, costlyWork, mixtureWork, regressionWork } from './allowedWork.ts';
import { searchSettings } from './searchSettings.ts';
import { isCutShort } from './servedLists.ts';
import { drawOf, ofDraws, RepeatedTrial } from './repeatedTrial.ts';
import { Trial } from './trial.ts';
import { trainingWork } from './work.ts';
import { defaultSetting } from '../data/defaultSetting.ts';
import type { ChosenPart, Search, SettingChoice } from './choice.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { TrainingData } from '../data/trainingData.ts';

/** Maximum numbers of users who decide on time and on metadata. */
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
/** A draw of held-out items. */
interface Draw {
  interactions: Interactions;
  trial: Trial;
}

/**
 * Chooses the setting on held-out interactions: the last tenth (at least one) of each user's items in time order, or random
 * items without times. Settings are compared by recall@20 + ndcg@20 of lists over all unseen items, and ways to use time also at
 * nearer horizons, see `chooseTime`. Where few users without times decide, they do so with several draws of held-out items, see
 * `countDraws`. The deciding users are not the users whose lists the evaluation compares; if there are too few users, another tenth is held out from the evaluation's training part. In both cases, the evaluation measures interactions that no
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
  const draws = countDraws(whole.index.length, split.users.length, timed);
  const reach = part === 'exponents' ? reachOf(split.train, split.test, split.users.subarray(0, reachUsers), items) : 1;
  const { train, test, users: own } = sampleUsers(split, split.users, sampledEntries, seed);
  const splits = [{ train, test }, ...Array.from({ length: draws - 1 }, (_, at) => holdOut(whole, catalogue, seed, at + 1))];

  // A search makes enough products to use the kernels on small data too.
  const [first, ...others] = splits.map((each) => {
    const own = toInteractions(each.train, items, part === 'exponents' ? takeWorkspace() : undefined);
    return { interactions: own, trial: new Trial(own, each.train, each.test, catalogue, seed, () => contentOf(data.nodes, catalogue.itemNode, own)) };
  }) as [Draw, ...Draw[]];
  const { interactions } = first;
  const numbers = whole.pointer.length - 1;
  const trial = others.length === 0 ? first.trial : new RepeatedTrial([first, ...others].map((each) => each.trial), numbers);
  const users = ofDraws(own, numbers, draws);
  const results = new Results(trial, users, report);
  results.expect((part === 'exponents' ? expectedMeasurements + contentShares.length : 0) + (timed ? timeGrid.length : 0));
  let chosen = defaultSetting;
  let search: Search | null = null;
  if (part === 'exponents') {
    const training = trainingWork(whole, items, trial.productsFor(defaultSetting.pu));
    const dense = train === split.train ? denseReach.whole : denseReach.sample;
    const regressions = draws * regressionWork(interactions, reach < dense);
    const grounds = {
      trial, results, deciding: users, regressions, mixture: draws * mixtureWork(interactions), training, allowed: allowedWork(training) + regressions, costly: costlyWork + regressions,
      entries: interactions.rows.index.length, firstUsers: firstUsers(splits, users, numbers), users: users.length, reach, denseReach: dense, isSmallCatalogue: isCutShort(items),
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
  // A user counts once, whatever the number of draws.
  const candidates = results.candidates().map((candidate) => ({ ...candidate, users: Math.min(candidate.users, own.length) }));
  const deciding = candidates.reduce((most, candidate) => Math.max(most, candidate.users), 0);
  return { candidates, chosen, users: deciding, ...(search === null ? {} : { search }) };
}

/** Number of histories on whom contenders are compared. */
function firstUsers(splits: readonly Pick<HoldOut, 'test'>[], histories: Int32Array, users: number): number {
  let heldOut = 0;
  let count = 0;
  while (count < histories.length && (heldOut < firstHeldOut || count < fewestFirst)) {
    const { draw, user } = drawOf(histories[count++] as number, users);
    const { pointer } = (splits[draw] as Pick<HoldOut, 'test'>).test;
    heldOut += (pointer[user + 1] as number) - (pointer[user] as number);
  }
  return count;
}

function isTimed({ time }: History): boolean {
  let known = 0;
  for (const at of time) if (!Number.isNaN(at)) known++;
  return known > 0 && known >= timedShare * time.length;
}
