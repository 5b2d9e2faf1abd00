import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { replaceOnce } from '../../simulation/bundle.ts';
import { plants as simulated } from '../../simulation/plants/plants.ts';
import { childOperations, operations } from '../points/operations.ts';
import { plants } from './plants.ts';

const checkout = resolve(import.meta.dirname, '../../..');

it.each([...plants, ...simulated])('the planted fault "$name" fits the source', async (plant) => {
  const text = await readFile(join(checkout, plant.file), 'utf8');
  expect(replaceOnce(text, plant)).not.toBe(text);
});

it('each operation has a planted fault', () => {
  expect([...new Set(plants.map(({ operation }) => operation))].toSorted()).toEqual([...operations, ...childOperations].map(({ name }) => name).toSorted());
});
