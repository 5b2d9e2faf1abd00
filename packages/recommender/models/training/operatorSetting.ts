import { chooseSetting } from '../../engine/choice/chooseSetting.ts';
import type { SettingChoice } from '../../engine/choice/choice.ts';
import { defaultSetting } from '../../engine/data/defaultSetting.ts';
import type { OperatorSetting, TrainingData } from '../../engine/data/trainingData.ts';
import type { StoredParameters } from './training.schema.ts';

/**
 * Chooses the part of the setting that the training's parameters leave open, on held-out interactions.
 * @param report receives fractions 0 to 1
 * @returns the choice; null if no part is open
 */
export function chooseOpen(
  setting: StoredParameters['setting'],
  data: TrainingData,
  seed: number,
  report: (fraction: number) => void,
): SettingChoice | null {
  if (typeof setting === 'object') return null;
  return chooseSetting(data, setting === 'auto' ? 'exponents' : 'time', seed, report);
}

/** The setting for the training: fixed by the request, chosen, or the default. */
export function operatorSetting(setting: StoredParameters['setting'], choice: SettingChoice | null): OperatorSetting {
  if (typeof setting === 'object') return setting;
  return choice?.chosen ?? defaultSetting;
}
