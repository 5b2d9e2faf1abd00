import { defaultSetting } from '../data/defaultSetting.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/**
 * Where a search begins: the default, which suits data whose users share most items, and a setting for sparse data, with
 * all pairs and a strong low-pass part.
 */
export const starts: { dense: OperatorSetting; sparse: OperatorSetting } = {
  dense: defaultSetting,
  sparse: { pu: -0.5, pa: -0.35, pb: -0.05, T: 0, b: 4, allPairs: true },
};

/** Coarse grids around the two starts, with the starts' pu. Data sets of different density each preferred another setting. */
export const coarseGrid: { dense: readonly OperatorSetting[]; sparse: readonly OperatorSetting[] } = {
  dense: [
    { pu: -0.5, pa: -0.5, pb: -0.2, T: 1, b: 0.3 },
    { pu: -0.5, pa: -0.5, pb: -0.2, T: 2, b: 0.3 },
    { pu: -0.5, pa: -0.5, pb: -0.2, T: 4.5, b: 0.3 },
    { pu: -0.5, pa: -0.5, pb: -0.2, T: 7, b: 0.3 },
    { pu: -0.5, pa: -0.5, pb: -0.05, T: 7, b: 0.3 },
    { pu: -0.5, pa: -0.5, pb: -0.35, T: 4.5, b: 0.1 },
    { pu: -0.5, pa: -0.5, pb: -0.5, T: 3, b: 0 },
    { pu: -0.5, pa: -0.65, pb: -0.05, T: 4.5, b: 0.3 },
    { pu: -0.5, pa: -0.65, pb: -0.2, T: 2, b: 0 },
  ],
  sparse: [-0.5, -0.35].flatMap((pa) =>
    ([[-0.2, -1, 2], [-0.05, -1, 2], [0.1, -1, 2], [-0.05, 0, 2], [0.1, 0, 4]] as const).map(([pb, T, b]) => ({ pu: -0.5, pa, pb, T, b, allPairs: true }))),
};

/** Settings with another pu, which need factors of their own. Settings with the same pu are consecutive. */
export const otherUserExponents: readonly OperatorSetting[] = [
  { pu: -0.75, pa: -0.5, pb: -0.35, T: 1, b: 0.3 },
  { pu: -0.75, pa: -0.65, pb: -0.2, T: 4.5, b: 0.3 },
  { pu: -0.75, pa: -0.8, pb: -0.2, T: 4.5, b: 0.3 },
  { pu: -0.25, pa: -0.5, pb: -0.5, T: 2, b: 0 },
  { pu: -0.25, pa: -0.8, pb: -0.5, T: 1, b: 0 },
];

/** Values of T and b from which a fine search takes the neighbours, and the steps of the exponents and their ranges. */
const damping = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4.5, 7];
const lowPass = [0, 0.1, 0.2, 0.3, 0.5, 1, 2, 4, 8];
const exponents = { pa: { step: 0.1, least: -1, most: 0 }, pb: { step: 0.075, least: -0.65, most: 0.25 } } as const;

/** The settings one step away from a setting, along each of T, b, pa and pb. */
export function neighboursOf(setting: OperatorSetting): OperatorSetting[] {
  const near: OperatorSetting[] = [];
  for (const step of [-1, 1]) {
    for (const [name, values] of [['T', damping], ['b', lowPass]] as const) {
      const value = values[values.indexOf(setting[name]) + step];
      if (values.includes(setting[name]) && value !== undefined) near.push({ ...setting, [name]: value });
    }
    for (const name of ['pa', 'pb'] as const) {
      const { step: size, least, most } = exponents[name];
      // Rounded, so that a step back gives the same number.
      const value = Math.round((setting[name] + step * size) * 1000) / 1000;
      if (value >= least && value <= most) near.push({ ...setting, [name]: value });
    }
  }
  return near;
}

/**
 * The setting with ridges whose values have these shares of a list's; none if the ridge has no values.
 * @param scale weight at which a ridge has the values of the setting
 */
export function ridgesOf(base: OperatorSetting, lambda: number, scale: number, valueShares: readonly number[]): OperatorSetting[] {
  if (scale === 0) return [];
  return valueShares.map((share) => ({ ...base, ridge: Number(((scale * share) / (1 - share)).toPrecision(3)), lambda }));
}
