import { expect, test } from 'vitest';
import type { ProcessorTime } from '../process/measureWaiting.ts';
import { watchProcesses } from './watchProcesses.ts';

const idle: ProcessorTime = { runSeconds: 1, waitSeconds: 1, isReady: false, atSeconds: 100 };

/** Returns what a job waits for according to two measurements of its process. */
function lookBetween(before: Partial<ProcessorTime>, after: Partial<ProcessorTime> | null): 'processor' | null {
  const measurements = [{ ...idle, ...before }, after === null ? null : { ...idle, ...after }];
  const watch = watchProcesses(() => measurements.shift() ?? null);
  watch.add(7);
  return watch.look();
}

test('processes that mostly waited for a processor wait for the processor', () => {
  expect(lookBetween({}, { runSeconds: 1.2, waitSeconds: 3 })).toBe('processor');
  expect(lookBetween({}, { runSeconds: 2, waitSeconds: 1.5 })).toBeNull();
});

test('processes that are ready and have not run since the last measurement wait for the processor, although the kernel counts no wait before its end', () => {
  expect(lookBetween({ isReady: true }, { isReady: true, atSeconds: 103 })).toBe('processor');
  // Too short to tell.
  expect(lookBetween({ isReady: true }, { isReady: true, atSeconds: 100.1 })).toBeNull();
  // The processes run.
  expect(lookBetween({ isReady: true }, { isReady: true, atSeconds: 103, runSeconds: 4 })).toBeNull();
});

test('processes that have nothing to do, or have ended, do not wait for the processor', () => {
  expect(lookBetween({}, { atSeconds: 103 })).toBeNull();
  expect(lookBetween({}, { isReady: true, atSeconds: 103 })).toBeNull();
  expect(lookBetween({ isReady: true }, null)).toBeNull();
});
