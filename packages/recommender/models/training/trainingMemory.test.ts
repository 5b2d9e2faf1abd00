import { totalmem } from 'node:os';
import { expect, test } from 'vitest';
import { refuseTooLarge, sharedMemoryMb, trainingMemoryMb, trainingSlots } from './trainingMemory.ts';

const automatic = { train_memory: 0, training_concurrency: 0 };
const machine = (processors: number, gigabytes: number): { processors: number; memoryBytes: number } => ({ processors, memoryBytes: gigabytes * 2 ** 30 });

test('a training may take what is set, else 60 % of the machine', () => {
  expect(trainingMemoryMb({ train_memory: 777, training_concurrency: 2 })).toBe(777);
  expect(trainingMemoryMb(automatic)).toBeLessThanOrEqual(Math.max(512, (0.6 * totalmem()) / 2 ** 20));
  expect(trainingMemoryMb(automatic, machine(2, 10))).toBe(6_144);
  expect(trainingMemoryMb(automatic, machine(1, 0.1))).toBe(512);
});

test.each([
  [automatic, 1, 64, 1],
  [automatic, 2, 24, 2],
  [automatic, 8, 4, 1],
  [automatic, 8, 16, 3],
  [automatic, 2, 0.1, 1],
  [{ train_memory: 1_000, training_concurrency: 0 }, 16, 10, 6],
  [{ train_memory: 100_000, training_concurrency: 0 }, 16, 10, 1],
  [{ train_memory: 100_000, training_concurrency: 5 }, 1, 10, 5],
])('%o on %i processors with %d GB: %i trainings at once', (settings, processors, gigabytes, slots) => {
  expect(trainingSlots(settings, machine(processors, gigabytes))).toBe(slots);
});

test('trainings share 60 % of the machine, or have the set limit each', () => {
  expect(sharedMemoryMb({ train_memory: 0, training_concurrency: 4 }, machine(2, 10))).toBe(6_144);
  expect(sharedMemoryMb({ train_memory: 700, training_concurrency: 4 }, machine(2, 10))).toBe(2_800);
});

test('a training that would take more is refused with the figure and two ways out', () => {
  expect(() => refuseTooLarge(512 * 2 ** 20, 512)).not.toThrow();
  expect(() => refuseTooLarge(600 * 2 ** 20, 512)).toThrow(/600 MB.* 512 MB.*VOUCH_TRAIN_MEMORY.*data_tags/);
});
