import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { startChild, type Child } from '../process/childProcess.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { measureWaiting } from '../process/measureWaiting.ts';
import { describeWaiting } from './describeWaiting.ts';
import { listStuckJobs } from './jobState.ts';
import { hanging, kindOf, until, useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();
const competitors: Child[] = [];
const canPin = process.platform === 'linux' && spawnSync('taskset', ['-V']).status === 0;
const busy = ['-c', 'while :; do :; done'];

/** Returns the first processor that this process may use. All loops of a test compete for it. */
function oneProcessor(): string {
  const allowed = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  return allowed ?? '0';
}

/**
 * Starts a program in a session of its own. If Linux groups processes by session, the programs of one session share the processor time of one
 * program, so a program in the session of the tests would compete with them instead of with the job.
 */
function compete(command: string, args: readonly string[]): Child {
  const child = startChild({ command, args }, systemInterfaces.timers);
  child.done.catch(() => {});
  competitors.push(child);
  return child;
}

function endCompetitors(): void {
  for (const child of competitors.splice(0)) child.stop({ kind: 'cancelled' });
}

afterEach(endCompetitors);

test.skipIf(!canPin)('a job whose processes get no processor says that they wait for it (needs Linux and taskset)', async () => {
  for (let loops = 0; loops < 3; loops++) compete('taskset', ['-c', oneProcessor(), 'sh', ...busy]);
  const kind = kindOf(async ({ signal, watch }) => {
    const child = startChild({ command: 'taskset', args: ['-c', oneProcessor(), 'sh', ...busy], niceness: 19, signal }, systemInterfaces.timers);
    watch(child.pid ?? 0);
    await child.done;
    return async () => {};
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  const job = await until(async () => {
    const seen = await jobs.queue.get('o', id);
    return seen?.waitsFor === 'processor' ? seen : null;
  });
  expect(describeWaiting(job, Date.now())).toMatchObject({ for: 'processor' });
  expect(await listStuckJobs(jobs.database)).toEqual([]);
  await jobs.database.query(`UPDATE jobs SET progressed_at = now() - interval '1 hour' WHERE id = $1`, [id]);
  await until(async () => (await listStuckJobs(jobs.database)).some(({ reason }) => reason === 'the job waits for CPU time'));
  // A process that gets no processor takes long to end.
  endCompetitors();
  await jobs.queue.cancel('o', id);
  expect((await jobs.reached(id, 'cancelled')).waitsFor).toBeNull();
});

test('a job whose processes have nothing to do is not said to wait for a processor', async () => {
  const { run, began } = hanging();
  const { id } = await jobs.enqueue();
  const sleeper = compete('sleep', ['100']);
  await jobs.work(kindOf(run));
  const context = await began;
  context.watch(sleeper.pid ?? 0);
  const lease = async (): Promise<number> =>
    (await jobs.database.query<{ lease_until: Date }>('SELECT lease_until FROM jobs WHERE id = $1', [id])).rows[0]?.lease_until.getTime() ?? 0;
  const before = await lease();
  await jobs.database.query(`UPDATE jobs SET waits_for = 'processor' WHERE id = $1`, [id]);
  await until(async () => (await lease()) > before);
  expect((await jobs.queue.get('o', id))?.waitsFor).toBeNull();
});

test('jobs without progress, and those whose workers go away, are stuck for the doctor', async () => {
  const { run, began } = hanging();
  const still = await jobs.enqueue();
  await jobs.work(kindOf(run));
  await began;
  await jobs.database.query(`UPDATE jobs SET progressed_at = now() - interval '6 minutes'`);
  const interrupted = await jobs.enqueue({ kind: 'of another worker' });
  await jobs.database.query(
    `UPDATE jobs SET interruptions = 4, progressed_at = now() - interval '1 minute', run_after = now() + interval '8 seconds', stage = 'analyse' WHERE id = $1`,
    [interrupted.id]);
  expect(await listStuckJobs(jobs.database)).toMatchObject([
    { id: still.id, reason: 'the job makes no progress' }, { id: interrupted.id, reason: 'the worker of the job or the database keeps becoming unavailable', stage: 'analyse' },
  ]);
});

test.skipIf(process.platform !== 'linux')('the time of a process is that of its descendants too, not its own alone', async () => {
  const child = startChild({ command: 'sh', args: ['-c', '(while :; do :; done) & wait'], limits: { wallMs: 600_000 } }, systemInterfaces.timers);
  await until(async () => (measureWaiting(child.pid ?? 0)?.runSeconds ?? 0) > 0.3);
  child.stop({ kind: 'cancelled' });
  await child.done.catch(() => {});
  expect(measureWaiting(child.pid ?? 0)).toBeNull();
});
