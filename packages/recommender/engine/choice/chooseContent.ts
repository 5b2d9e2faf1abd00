import { scaleUsers } from './mixtures.ts';
import { gainOf, joined, type Results } from './results.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Standard errors by which lists with metadata must be better than without: of five shares, the best exceeds one by chance in many trainings. */
const contentErrors = 2;
/** Shares of the metadata in the 20th largest values of lists. */
export const contentShares = [0.1, 0.2, 0.3, 0.4, 0.5] as const;

/** Number of users on whom all shares are measured, and number of shares, the best there, that are measured on all users. */
const firstUsers = 1000;
const furtherShares = 2;

/**
 * Chooses how much the similarity of metadata counts beside what users have in common: the share with which lists are best, if they are better than without by
 * more than chance. On the first users, the best shares are found; if none is better than none there, none is measured further.
 * @param base setting without content
 * @param users deciding users
 */
export function chooseContent(trial: Pick<Trial, 'contentScale' | 'measure'>, results: Pick<Results, 'add'>, base: OperatorSetting, users: Int32Array): OperatorSetting {
  const scale = trial.contentScale(base, users.subarray(0, scaleUsers));
  if (scale === 0) return base;
  const settings = contentShares.map((share) => ({ ...base, content: Number(((scale * share) / (1 - share)).toPrecision(3)) }));
  const [without = new Float64Array(0), ...measured] = trial.measure([base, ...settings], users.subarray(0, firstUsers));
  const first = settings.map((setting, at) => ({ setting, measured: measured[at] as Float64Array }));
  for (const way of first) results.add(way.setting, way.measured);
  if (users.length <= firstUsers) return bestShare(base, without, first);
  const open = first
    .map((way) => ({ ...way, gain: gainOf(way.measured, without).mean }))
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain)
    .slice(0, furtherShares);
  if (open.length === 0) return base;
  const [others = new Float64Array(0), ...further] = trial.measure([base, ...open.map(({ setting }) => setting)], users.subarray(firstUsers));
  const whole = open.map((way, at) => ({ setting: way.setting, measured: joined([way.measured, further[at] as Float64Array]) }));
  for (const way of whole) results.add(way.setting, way.measured);
  return bestShare(base, joined([without, others]), whole);
}

/** The setting that is most ahead of the one without metadata, by more than chance; this one if there is none. */
function bestShare(base: OperatorSetting, without: Float64Array, measured: readonly { setting: OperatorSetting; measured: Float64Array }[]): OperatorSetting {
  let chosen = { setting: base, gain: 0 };
  for (const { setting, measured: own } of measured) {
    const { mean, error } = gainOf(own, without);
    if (mean > contentErrors * error && mean > chosen.gain) chosen = { setting, gain: mean };
  }
  return chosen.setting;
}
