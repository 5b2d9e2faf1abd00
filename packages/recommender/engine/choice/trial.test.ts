import { expect, test } from 'vitest';
import { numberItems } from '../catalogue/numberItems.ts';
import { drawHeldOut } from '../evaluation/heldOutUsers.ts';
import { splitHistory } from '../evaluation/splitHistory.ts';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { trainingData, type PairRow } from '../../testing/testData.ts';
import { Trial } from './trial.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Users of four groups, who take 20 items of their own group of 30 and of the others. */
function groupedUsers(): PairRow[] {
  const random = createRandom(8);
  return Array.from({ length: 200 }, (_, user) =>
    Array.from(new Set(Array.from({ length: 20 }, () => (random.uniform() < 0.6 ? 30 * (user % 4) + random.below(30) : random.below(120))))).map(
      (item): PairRow => [`u${user}`, `i${item}`],
    ),
  ).flat();
}

test('a trial lists with the confidence of the setting, whatever it has measured before', () => {
  const data = trainingData([], groupedUsers());
  const catalogue = numberItems(data);
  const { train, test: heldOut } = splitHistory(buildHistory(data, catalogue), catalogue, 1);
  const users = drawHeldOut(heldOut, 100, 2);
  const newTrial = (): Trial => new Trial(toInteractions(train, 120, new Workspace()), train, heldOut, catalogue, 1);
  const mixture: OperatorSetting = { pu: -0.5, pa: -0.5, pb: -0.2, T: 3, b: 0.3, allPairs: true, als: 1000 };
  const trial = newTrial();
  const [usual] = trial.measure([mixture], users);
  const before = trial.factorWork;
  const [low] = trial.measure([{ ...mixture, confidence: 5 }], users);
  expect(trial.factorWork).toBeGreaterThan(before);
  expect(low).not.toEqual(usual);
  expect([low]).toEqual(newTrial().measure([{ ...mixture, confidence: 5 }], users));
  expect(trial.measure([{ ...mixture, confidence: 40 }], users)).toEqual([usual]);
});
