import { expect, test } from 'vitest';
import { mixSummands } from './mixSummands.ts';
import { starts } from './settingGrid.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

const dense: OperatorSetting = { ...starts.dense, allPairs: true };

/**
 * Mixes with lists that are best where the shares of ridge and als are these; a weight of 2 and of 5 makes their values as large as the operator's.
 * @param chance difference of shares that the lists cannot tell
 */
function mix(chosen: OperatorSetting, best: { ridge: number; als: number }, scale = { ridge: 2, als: 5 }, confidence = 40, chance = 0) {
  const known = new Map<string, OperatorSetting>();
  const distance = ({ ridge = 0, als = 0 }: OperatorSetting): number => {
    const all = 1 + ridge / 2 + als / 5;
    return Math.abs(ridge / 2 / all - best.ridge) + Math.abs(als / 5 / all - best.als);
  };
  return mixSummands({
    results: {
      ordered: (settings) => settings.toSorted((a, b) => distance(a) - distance(b)),
      contenders: (settings) => {
        const least = Math.min(...settings.map(distance));
        return settings.filter((setting) => distance(setting) <= least + chance);
      },
    },
    scale,
    confidence,
    measure: () => {},
    same: (setting) => {
      const key = JSON.stringify(setting);
      known.set(key, known.get(key) ?? setting);
      return known.get(key) as OperatorSetting;
    },
  }, chosen, 60);
}

test('votes go to the summands that make the lists best', () => {
  // Four votes of the chosen operator; of four more, one goes to the ridge and two to als.
  const mixed = mix(dense, { ridge: 1 / 8, als: 2 / 8 });
  expect(mixed).toEqual({ ...dense, ridge: 0.4, lambda: 60, als: 2 });
});

test('a mixture has the confidence of its least squares, unless it is the usual one', () => {
  expect(mix(dense, { ridge: 1 / 8, als: 2 / 8 }, undefined, 5)).toEqual({ ...dense, ridge: 0.4, lambda: 60, als: 2, confidence: 5 });
  expect(mix(dense, { ridge: 1 / 3, als: 0 }, undefined, 5)).not.toHaveProperty('confidence');
});

test('a ridge that the search chose keeps its penalty and its share of the first votes', () => {
  const chosen = { ...dense, ridge: 2, lambda: 100 };
  expect(mix(chosen, { ridge: 1 / 3, als: 1 / 3 })).toEqual({ ...chosen, als: 5 });
});

test('the chosen setting stays where no mixture is better, and where the users have no values of a summand', () => {
  expect(mix(starts.sparse, { ridge: 0, als: 0 })).toEqual(starts.sparse);
  expect(mix(dense, { ridge: 0, als: 1 }, { ridge: 2, als: 0 })).toBe(dense);
});

test('of mixtures that list equally well but for chance, the mean is taken', () => {
  // Shares of the ridge that were tried: 1/5, 2/6, 2/7 and 2/8; the last three are level with 2/7.
  expect(mix(dense, { ridge: 2 / 7, als: 0 }, undefined, 40, 0.05).ridge).toBeCloseTo(2 * ((2 / 6 + 2 / 7 + 2 / 8) / 3) / (1 - (2 / 6 + 2 / 7 + 2 / 8) / 3), 2);
});

test('a mixture is taken unless the setting without summands lists clearly better', () => {
  expect(mix(dense, { ridge: 0, als: 0 }, undefined, 40, 0.01)).toEqual(dense);
  expect(mix(dense, { ridge: 0, als: 0 }, undefined, 40, 0.15)).toMatchObject({ ridge: expect.closeTo(0.14, 1) as number, als: expect.closeTo(0.35, 1) as number });
});
