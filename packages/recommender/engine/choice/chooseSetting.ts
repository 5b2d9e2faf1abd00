import { numberItems } from '../catalogue/numberItems.ts';
import { giveBackWorkspace } from '../kernels/workspace.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { splitHistory, type Split } from '../evaluation/splitHistory.ts';
import { drawHeldOut, evaluatedUsers } from '../evaluation/heldOutUsers.ts';
import { sampleUsers } from './sampleUsers.ts';
import { settingGrid } from './settingGrid.ts';
import { Results } from './results.ts';
import { allowedWork, searchGrid } from './searchGrid.ts';
import { Trial } from './trial.ts';
import { trainingWork } from './work.ts';
import type { ChosenPart, Search, SettingChoice } from './choice.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { OperatorSetting, TrainingData } from '../data/trainingData.ts';

/** Users whose lists decide on exponents in the end, of these the ones that every setting is tried on, and those for time. */
const decidingUsers = 3000;
const firstUsers = 1000;
const timeUsers = 2000;
/** Measurements on more users than the first, for the progress. */
const expectedFurther = 6;
/** So many users beside those of the evaluation decide on its own split; with fewer, a further tenth is held out. */
const minOthers = 1000;
/** Interactions that a choice works on; factors for several settings cost several times those of the training. */
const sampledEntries = 2_000_000;
/** With fewer users, differences are mostly chance; the default is used. */
const minUsers = 50;
/** Times order lists only where at least this share of the interactions has one. */
const timedShare = 0.5;
/** Ways to use time, the first without: the published gains lie at these shares of transitions. */
const timeGrid: readonly Required<Pick<OperatorSetting, 'recency' | 'transitions'>>[] = [
  { recency: false, transitions: 0 },
  { recency: true, transitions: 0 },
  { recency: true, transitions: 0.3 },
  { recency: true, transitions: 0.5 },
  { recency: true, transitions: 0.7 },
];

/**
 * Chooses the setting on held-out interactions: each user's last tenth in time, a random one without times. Settings are
 * compared by recall@20 + ndcg@20 of lists over all unseen items. The users who decide are others than those whose lists the
 * evaluation compares; where there are too few, a further tenth is held out of what the evaluation trains on. Either way its
 * figures are of interactions that no choice has seen. Of more than 2 M interactions a sample of users takes part.
 * @param part `time` keeps the default exponents
 * @param report receives fractions 0 to 1
 * @returns null where there is nothing to choose or too few users to choose by
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
  const { train, test, users } = holdOut(whole, catalogue, seed);
  if (users.length < minUsers) return null;

  const interactions = toInteractions(train, catalogue.itemNode.length);
  const trial = new Trial(interactions, train, test, catalogue, seed);
  const results = new Results(trial, users, report);
  results.expect((part === 'exponents' ? settingGrid.length + expectedFurther : 0) + (timed ? timeGrid.length : 0));
  let chosen = settingGrid[0] as OperatorSetting;
  let search: Search | null = null;
  if (part === 'exponents') {
    const training = trainingWork(whole, catalogue.itemNode.length);
    const grounds = {
      trial, results, training, allowed: allowedWork(training), firstUsers: Math.min(firstUsers, users.length), users: users.length,
    };
    ({ chosen, search } = searchGrid(settingGrid, grounds));
  }
  if (timed) {
    const ways = timeGrid.map((way) => ({ ...chosen, ...way }));
    results.measure(ways, Math.min(timeUsers, users.length));
    chosen = results.best(ways, ways[0] as OperatorSetting);
  }
  report(1);
  giveBackWorkspace(interactions.workspace);
  const candidates = results.candidates();
  const deciding = candidates.reduce((most, candidate) => Math.max(most, candidate.users), 0);
  return { candidates, chosen, users: deciding, ...(search === null ? {} : { search }) };
}

function holdOut(whole: History, catalogue: Catalogue, seed: number): Split & { users: Int32Array } {
  const evaluated = splitHistory(whole, catalogue, seed);
  const drawn = drawHeldOut(evaluated.test, evaluatedUsers + decidingUsers, seed + 1);
  if (drawn.length >= evaluatedUsers + minOthers) return sampleUsers(evaluated, drawn.subarray(evaluatedUsers), sampledEntries, seed);
  const further = splitHistory(evaluated.train, catalogue, seed + 3);
  return sampleUsers(further, drawHeldOut(further.test, decidingUsers, seed + 4), sampledEntries, seed);
}

function isTimed({ time }: History): boolean {
  let known = 0;
  for (const at of time) if (!Number.isNaN(at)) known++;
  return known > 0 && known >= timedShare * time.length;
}
