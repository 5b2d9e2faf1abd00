import type { OperatorSetting } from '../engine/trainingData.ts';
import type { StoredParameters } from './training.schema.ts';

/**
 * The setting that answers well across data sets of very different density: exponents and damping that were chosen on
 * held-out users of four public data sets.
 */
export const defaultSetting: OperatorSetting = { pu: -0.5, pa: -0.5, pb: -0.2, T: 3, b: 0.3 };

/** The exponents that a training's parameters name. */
export function operatorSetting(setting: StoredParameters['setting']): OperatorSetting {
  return setting === 'default' ? defaultSetting : setting;
}
