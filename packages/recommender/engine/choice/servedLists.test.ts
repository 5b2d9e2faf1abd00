import { describe, expect, test } from 'vitest';
import { numberItems } from '../catalogue/numberItems.ts';
import { factorise } from '../factors/factorise.ts';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { computeNeighbours } from '../neighbours/computeNeighbours.ts';
import { computeAls, usualAls } from '../ridge/alsMatrix.ts';
import { computeRidge } from '../ridge/ridgeMatrix.ts';
import { weightedSum } from '../ridge/weightedSum.ts';
import { trainingData, type PairRow } from '../../testing/testData.ts';
import { servedRows } from './servedLists.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Users of four groups, each with its own 230 popular items among 920, so that rows have more entries than are kept. */
function groupedUsers(): PairRow[] {
  const random = createRandom(8);
  return Array.from({ length: 300 }, (_, user) =>
    Array.from(new Set(Array.from({ length: 40 }, () => (random.uniform() < 0.7 ? 230 * (user % 4) + random.below(230) : random.below(920))))).map(
      (item): PairRow => [`u${user}`, `i${item}`],
    ),
  ).flat();
}

/** The first place at which arrays differ, -1 for equal arrays. */
function firstDifference(own: ArrayLike<number>, other: ArrayLike<number>): number {
  return own.length === other.length ? Array.from(own).findIndex((value, at) => value !== other[at]) : Math.min(own.length, other.length);
}

const base: OperatorSetting = { pu: -0.5, pa: -0.5, pb: -0.2, T: 3, b: 0 };

describe('rows of a comparison as served', () => {
  const data = trainingData([], groupedUsers());
  const catalogue = numberItems(data);
  const workspace = new Workspace();
  const interactions = { ...toInteractions(buildHistory(data, catalogue), catalogue.itemNode.length, workspace), workspace };
  const factors = factorise(interactions, base.pu, 1, () => {});
  const everyItem = new Uint8Array(interactions.items).fill(1);

  test.each<[string, OperatorSetting, number]>([
    ['common users', base, 400],
    ['all pairs', { ...base, allPairs: true }, 400],
    ['all pairs with a ridge and least squares', { ...base, allPairs: true, ridge: 1, lambda: 60, als: 0.3 }, 800],
    ['least squares with a confidence of its own', { ...base, allPairs: true, als: 0.3, confidence: 5 }, 800],
  ])('are those of a training: %s', (_, setting, most) => {
    const { ridge = 0, lambda = 0, als = 0, confidence = usualAls.confidence } = setting;
    const matrix = weightedSum(ridge > 0 ? computeRidge(interactions, lambda) : null, ridge, als > 0 ? computeAls(interactions, factors, { ...usualAls, confidence }) : null, als);
    const before = workspace.mark();
    const rows = servedRows(interactions, factors, catalogue, setting, matrix, everyItem);
    expect(workspace.mark()).toBe(before);
    const trained = computeNeighbours(data, factors, { setting, seed: 1 }, () => {}).operator;
    // Messages about differences of 300,000 numbers take minutes.
    expect(firstDifference(rows.pointer, trained.pointer)).toBe(-1);
    expect(firstDifference(rows.index, trained.index)).toBe(-1);
    expect(firstDifference(rows.value, trained.value)).toBe(-1);
    const lengths = Array.from(rows.pointer.subarray(1), (end, row) => end - (rows.pointer[row] as number));
    expect(Math.max(...lengths)).toBe(most);
  });

  test('are empty for items that are not wanted', () => {
    const isWanted = new Uint8Array(interactions.items);
    isWanted[5] = 1;
    const { pointer } = servedRows(interactions, factors, catalogue, base, null, isWanted);
    expect(pointer[5]).toBe(0);
    expect(pointer[6]).toBeGreaterThan(200);
    expect(pointer.at(-1)).toBe(pointer[6]);
  });
});
