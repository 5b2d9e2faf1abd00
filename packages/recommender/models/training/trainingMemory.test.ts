import { totalmem } from 'node:os';
import { expect, test } from 'vitest';
import { refuseTooLarge, trainingMemoryMb } from './trainingMemory.ts';

test('a training may take what is set, else 60 % of the machine, shared by those that run at once', () => {
  expect(trainingMemoryMb({ train_memory: 777, training_concurrency: 2 })).toBe(777);
  const one = trainingMemoryMb({ train_memory: 0, training_concurrency: 1 });
  expect(one).toBeLessThanOrEqual((0.6 * totalmem()) / 2 ** 20);
  expect(trainingMemoryMb({ train_memory: 0, training_concurrency: 2 })).toBe(Math.max(512, Math.floor(one / 2)));
});

test('a training that would take more is refused with the figure and two ways out', () => {
  expect(() => refuseTooLarge(512 * 2 ** 20, 512)).not.toThrow();
  expect(() => refuseTooLarge(600 * 2 ** 20, 512)).toThrow(/600 MB.* 512 MB.*VOUCH_TRAIN_MEMORY.*data_tags/);
});
