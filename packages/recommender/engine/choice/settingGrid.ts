import type { OperatorSetting } from '../data/trainingData.ts';

/**
 * The settings that an automatic choice tries, the default first. Data sets of different density and history length each
 * performed best with a different setting of this grid. Settings with the same pu are consecutive, because they share their
 * factors.
 */
export const settingGrid: readonly OperatorSetting[] = [
  { pu: -0.5, pa: -0.5, pb: -0.2, T: 3, b: 0.3 },
  { pu: -0.5, pa: -0.5, pb: -0.2, T: 1, b: 0.3 },
  { pu: -0.5, pa: -0.5, pb: -0.2, T: 2, b: 0.3 },
  { pu: -0.5, pa: -0.5, pb: -0.2, T: 4.5, b: 0.3 },
  { pu: -0.5, pa: -0.5, pb: -0.2, T: 7, b: 0.3 },
  { pu: -0.5, pa: -0.5, pb: -0.35, T: 4.5, b: 0.1 },
  { pu: -0.5, pa: -0.5, pb: -0.5, T: 3, b: 0 },
  { pu: -0.5, pa: -0.65, pb: -0.05, T: 4.5, b: 0.3 },
  { pu: -0.5, pa: -0.65, pb: -0.2, T: 2, b: 0 },
  { pu: -0.75, pa: -0.5, pb: -0.35, T: 1, b: 0.3 },
  { pu: -0.75, pa: -0.65, pb: -0.2, T: 4.5, b: 0.3 },
  { pu: -0.75, pa: -0.8, pb: -0.2, T: 4.5, b: 0.3 },
  { pu: -0.25, pa: -0.5, pb: -0.5, T: 2, b: 0 },
  { pu: -0.25, pa: -0.8, pb: -0.5, T: 1, b: 0 },
];
