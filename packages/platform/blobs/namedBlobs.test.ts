import { expect, it } from 'vitest';
import { inBatches } from './namedBlobs.ts';

async function* blobs(count: number): AsyncGenerator<{ name: string; bytes: number }> {
  for (let number = 0; number < count; number += 1) yield { name: String(number), bytes: number };
}

it.each([
  [0, []], [1, [1]], [3, [3]], [4, [3, 1]], [6, [3, 3]], [7, [3, 3, 1]],
])('of %i blobs each is in one batch, in their order', async (count, sizes) => {
  const batches: string[][] = [];
  for await (const batch of inBatches(blobs(count), 3)) batches.push(batch.map(({ name }) => name));
  expect(batches.map(({ length }) => length)).toEqual(sizes);
  expect(batches.flat()).toEqual(Array.from({ length: count }, (_, number) => String(number)));
});
