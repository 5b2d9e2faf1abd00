import { chooseSetting } from '../../engine/choice/chooseSetting.ts';
import type { SettingChoice } from '../../engine/choice/choice.ts';
import { defaultSetting } from '../../engine/data/defaultSetting.ts';
import type { OperatorSetting, TrainingData } from '../../engine/data/trainingData.ts';
import type { StoredParameters } from './training.schema.ts';

/**
 * What a training's parameters leave open is chosen on held-out interactions; null where nothing is.
 * @param report receives fractions 0 to 1
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

/** The exponents to train with. */
export function operatorSetting(setting: StoredParameters['setting'], choice: SettingChoice | null): OperatorSetting {
  if (typeof setting === 'object') return setting;
  return choice?.chosen ?? defaultSetting;
}
