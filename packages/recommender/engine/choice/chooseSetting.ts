import { numberItems } from '../catalogue/numberItems.ts';
import { giveBackWorkspace } from '../kernels/workspace.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { splitHistory, type Split } from '../evaluation/splitHistory.ts';
import { drawHeldOut, evaluatedUsers } from './heldOutUsers.ts';
import { sampleUsers } from './sampleUsers.ts';
import { settingGrid } from './settingGrid.ts';
import { Results } from './results.ts';
import { Trial } from './trial.ts';
import type { ChosenPart, SettingChoice } from './choice.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { OperatorSetting, TrainingData } from '../trainingData.ts';

/** Users whose lists decide in the end, and of these the ones that every setting is tried on. */
const decidingUsers = 2000;
const firstUsers = 1000;
/** Settings that are compared on all deciding users. */
const finalists = 3;
/** So many users beside those of the evaluation decide on its own split; with fewer, a further tenth is held out. */
const fewestOthers = 1000;
/** Interactions that a choice works on; factors for several settings cost several times those of the training. */
const sampledEntries = 2_000_000;
/** With fewer users chance decides more than quality, and the default stands. */
const fewestUsers = 50;
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
  if (users.length < fewestUsers) return null;

  const interactions = toInteractions(train, catalogue.itemNode.length);
  const trial = new Trial(interactions, train, test, catalogue, seed);
  const results = new Results(trial, users, report);
  const grid = part === 'exponents' ? settingGrid : settingGrid.slice(0, 1);
  results.expect((grid.length > 1 ? grid.length + finalists : 0) + (timed ? timeGrid.length : 0));
  let chosen = grid[0] as OperatorSetting;
  if (grid.length > 1) {
    results.measure(grid, Math.min(firstUsers, users.length));
    const better = results.ordered(grid.slice(1)).slice(0, finalists - 1);
    const compared = grid.filter((setting) => setting === chosen || better.includes(setting));
    results.measure(compared, users.length);
    chosen = results.best(compared);
  }
  if (timed) {
    const ways = timeGrid.map((way) => ({ ...chosen, ...way }));
    results.measure(ways, users.length);
    chosen = results.best(ways);
  }
  report(1);
  giveBackWorkspace(interactions.workspace);
  return { candidates: results.candidates(), chosen, users: users.length };
}

function holdOut(whole: History, catalogue: Catalogue, seed: number): Split & { users: Int32Array } {
  const evaluated = splitHistory(whole, catalogue, seed);
  const drawn = drawHeldOut(evaluated.test, evaluatedUsers + decidingUsers, seed + 1);
  if (drawn.length >= evaluatedUsers + fewestOthers) return sampleUsers(evaluated, drawn.subarray(evaluatedUsers), sampledEntries, seed);
  const further = splitHistory(evaluated.train, catalogue, seed + 3);
  return sampleUsers(further, drawHeldOut(further.test, decidingUsers, seed + 4), sampledEntries, seed);
}

function isTimed({ time }: History): boolean {
  let known = 0;
  for (const at of time) if (!Number.isNaN(at)) known++;
  return known > 0 && known >= timedShare * time.length;
}
