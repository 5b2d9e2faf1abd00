import { expect, test } from 'vitest';
import { describeWaiting } from './describeWaiting.ts';
import type { Job } from './job.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number): Date => new Date(now - seconds * 1_000);
const running: Job = {
  id: 'j', organizationId: 'o', kind: 'k', subject: 's', input: null, status: 'running', stage: 'analyse', progress: 0.3, attempt: 1,
  interruptions: 0, progressedAt: ago(5), waitsFor: null, runAfter: ago(100), cancelRequested: false, error: null,
  createdAt: ago(100), startedAt: ago(90), completedAt: null, traceparent: null,
};

test('a job that gets further, has not begun or has ended waits for nothing', () => {
  expect(describeWaiting(running, now)).toBeNull();
  expect(describeWaiting({ ...running, status: 'queued', startedAt: null, progressedAt: null }, now)).toBeNull();
  expect(describeWaiting({ ...running, status: 'completed', progressedAt: ago(1_000) }, now)).toBeNull();
});

test('a job whose processes wait for the processor says so, with its stage and the time of its last progress', () => {
  expect(describeWaiting({ ...running, waitsFor: 'processor' }, now)).toEqual({
    for: 'processor', since: '2026-01-01T11:59:55.000Z',
    detail: 'Waiting for CPU time in the stage analyse: other processes use the CPUs of this machine.',
  });
});

test('a job without progress for a minute says since when and where, though the reason is not known', () => {
  expect(describeWaiting({ ...running, progressedAt: ago(61) }, now)).toMatchObject({ for: 'unknown', detail: 'No progress for 61 s in the stage analyse.' });
});

test('a job that waits for its next attempt says why and until when', () => {
  const queued: Job = { ...running, status: 'queued', runAfter: new Date(now + 8_000) };
  expect(describeWaiting({ ...queued, interruptions: 5 }, now)).toMatchObject({
    for: 'retry', detail: 'The worker or the database became unavailable 5 times in a row; the next attempt is scheduled for 2026-01-01T12:00:08.000Z.',
  });
  expect(describeWaiting(queued, now)?.detail).toContain('The last attempt failed');
});
