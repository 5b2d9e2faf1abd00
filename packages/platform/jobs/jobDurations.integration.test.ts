import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { platformErrors } from '../errors/platformErrors.ts';
import { createJobDurations } from './jobDurations.ts';
import { kindOf, until, useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();

test('every end of a job is counted with its time, and every stage that was finished, not the one that failed', async () => {
  const metrics = new Registry();
  await jobs.work(kindOf(async ({ job, stage }) => {
    await stage('only', async () => null);
    if (job.subject === 'broken') throw platformErrors.problem('storage-full', 'No room.');
    return async () => {};
  }), { durations: createJobDurations(metrics) });
  const good = await jobs.enqueue();
  const broken = await jobs.enqueue({ subject: 'broken' });
  await jobs.reached(good.id, 'completed');
  await jobs.reached(broken.id, 'error');
  const lines = await until(async () => {
    const text = await metrics.metrics();
    return text.includes('status="error"') && text.includes('status="completed"') ? text.split('\n') : null;
  });
  const count = (start: string): string | undefined => lines.find((line) => line.startsWith(start))?.split(' ')[1];
  expect(count('vouch_job_duration_seconds_count{kind="test",status="completed"}')).toBe('1');
  expect(count('vouch_job_duration_seconds_count{kind="test",status="error"}')).toBe('1');
  expect(count('vouch_job_stage_duration_seconds_count{kind="test",stage="only"}')).toBe('2');
  expect(Number(count('vouch_job_duration_seconds_sum{kind="test",status="completed"}'))).toBeGreaterThan(0);
});
