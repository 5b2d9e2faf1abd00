import { expect, test } from 'vitest';
import { SettledCache } from './settledCache.ts';

test('a value is read again with each new block until it was the same for the confirmations, and then kept', async () => {
  const cache = new SettledCache<string, number>(2, 10);
  let reads = 0;
  let value = 7;
  const get = (number: number, branch = 'a'): Promise<number> => cache.get('key', { number, hash: `${branch}${number}` }, async () => { reads += 1; return value; }, (each) => each !== 0);
  expect([await get(1), await get(1), reads]).toEqual([7, 7, 1]);
  value = 8;
  // The first block of another branch.
  expect([await get(1, 'b'), reads]).toEqual([8, 2]);
  expect([await get(2, 'b'), await get(3, 'b'), reads]).toEqual([8, 8, 4]);
  value = 9;
  expect([await get(4, 'b'), reads]).toEqual([8, 4]);
});

test('a value that is not set is not kept, and a lower head starts the count of blocks again', async () => {
  const cache = new SettledCache<string, number>(2, 10);
  let value = 0;
  const get = (number: number): Promise<number> => cache.get('key', { number, hash: `${number}` }, async () => value, (each) => each !== 0);
  expect(await get(5)).toBe(0);
  value = 3;
  expect([await get(5), await get(1), await get(2)]).toEqual([3, 3, 3]);
  value = 4;
  expect(await get(3)).toBe(4);
});

test('the oldest values are removed first', async () => {
  const cache = new SettledCache<number, number>(0, 2);
  const get = (key: number, value: number): Promise<number> => cache.get(key, { number: 1, hash: 'a' }, async () => value, () => true);
  await get(1, 10);
  await get(2, 20);
  await get(3, 30);
  expect([await get(1, 11), await get(3, 31)]).toEqual([11, 30]);
});
