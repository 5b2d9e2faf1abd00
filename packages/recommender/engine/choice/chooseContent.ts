import { scaleUsers } from './mixtures.ts';
import { gainOf, type Results } from './results.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Standard errors by which lists with metadata must be better than without: of five shares, the best exceeds one by chance in many trainings. */
const contentErrors = 2;
/** Shares of the metadata in the 20th largest values of lists. */
export const contentShares = [0.1, 0.2, 0.3, 0.4, 0.5] as const;

/**
 * Chooses how much the similarity of metadata counts beside what users have in common: the share with which lists are best, if they are better than without by
 * more than chance.
 * @param base setting without content
 * @param users deciding users
 */
export function chooseContent(trial: Pick<Trial, 'contentScale' | 'measure'>, results: Pick<Results, 'add'>, base: OperatorSetting, users: Int32Array): OperatorSetting {
  const scale = trial.contentScale(base, users.subarray(0, scaleUsers));
  if (scale === 0) return base;
  const settings = contentShares.map((share) => ({ ...base, content: Number(((scale * share) / (1 - share)).toPrecision(3)) }));
  const [without = new Float64Array(0), ...measured] = trial.measure([base, ...settings], users);
  let chosen = { setting: base, gain: 0 };
  for (const [at, setting] of settings.entries()) {
    const own = measured[at] as Float64Array;
    results.add(setting, own);
    const { mean, error } = gainOf(own, without);

    if (mean > contentErrors * error && mean > chosen.gain) chosen = { setting, gain: mean };
  }
  return chosen.setting;
}
