import { defaultSetting } from '../engine/defaultSetting.ts';
import type { OperatorSetting } from '../engine/trainingData.ts';
import type { StoredParameters } from './training.schema.ts';

/** The exponents that a training's parameters name. */
export function operatorSetting(setting: StoredParameters['setting']): OperatorSetting {
  return setting === 'default' ? defaultSetting : setting;
}
