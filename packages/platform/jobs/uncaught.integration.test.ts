import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import type { JobRow } from './jobRow.ts';
import { useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();
let child: ChildProcess | null = null;

async function startThrowing(...words: string[]): Promise<ChildProcess> {
  child = fork(new URL('../testing/children/throwingWorker.ts', import.meta.url).pathname, [jobs.database.connectionString, jobs.scratch, ...words], {
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  await once(child, 'message');
  return child;
}

afterEach(async () => {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});

exhaustiveTest('an error that nobody catches ends the job that it belongs to, and no other', async () => {
  const subjects = sampleOf(['timer', 'socket', 'socket without a listener', 'child process', 'rejection'], 1);
  const innocent = await jobs.enqueue({ subject: 'innocent' });
  const guilty = await Promise.all(subjects.map((subject) => jobs.enqueue({ subject })));
  const worker = await startThrowing();
  for (const { id } of guilty) {
    const { error, attempt } = await jobs.reached(id, 'error');
    expect([error?.code, attempt]).toEqual(['job-abandoned', 3]);
  }
  expect((await jobs.reached(innocent.id, 'completed')).attempt).toBe(1);
  expect([worker.exitCode, worker.signalCode]).toEqual([null, null]);
});

exhaustiveTest('an error that belongs to no job ends the process, which gives its jobs back and notes that they were interrupted', async () => {
  const { id } = await jobs.enqueue({ subject: 'nobody owns it' });
  const worker = await startThrowing();
  await once(worker, 'message');
  worker.send('throw');
  expect(await once(worker, 'exit')).toEqual([7, null]);
  const { rows: [row] } = await jobs.database.query<JobRow>('SELECT * FROM jobs WHERE id = $1', [id]);
  expect(row).toMatchObject({ status: 'queued', failures: 0, interruptions: 1 });
});

exhaustiveTest('a job that crashes its worker three times is given up, and the one that ran beside it completes', async () => {
  const [poison, beside] = [await jobs.enqueue({ subject: 'poison' }), await jobs.enqueue({ subject: 'beside' })];
  let before: string[] = [];
  for (let crashes = 1; crashes <= 3; crashes++) {
    const worker = await startThrowing(...before);
    expect((await ended(worker))[1]).toBe('SIGABRT');
    before = [String(worker.pid)];
  }
  await startThrowing(...before);
  const { error, attempt } = await jobs.reached(poison.id, 'error');
  expect([error?.code, attempt]).toEqual(['job-abandoned', 3]);
  expect(error?.detail).toContain('crashed 3 times');
  expect((await jobs.reached(beside.id, 'completed')).attempt).toBe(2);
});

async function ended(worker: ChildProcess): Promise<unknown[]> {
  return worker.exitCode === null && worker.signalCode === null ? once(worker, 'exit') : [worker.exitCode, worker.signalCode];
}
