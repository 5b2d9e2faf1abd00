import { expect, test } from 'vitest';
import { asStoreFault } from '../blobs/storeFault.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import { ChildFailed } from '../process/childEnd.ts';
import { kindOf, useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();

test('an unexpected failure is repeated, and after the last attempt the job is abandoned', async () => {
  let attempts = 0;
  const ended: string[] = [];
  const kind = kindOf(async () => { attempts++; throw new Error('secret internals'); }, {
    ended: async (_, job) => { ended.push(job.error?.code ?? ''); },
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  const job = await jobs.reached(id, 'error');
  expect(attempts).toBe(3);
  expect(job.error?.code).toBe('job-abandoned');
  expect(JSON.stringify(job.error)).not.toContain('secret');
  expect(ended).toEqual(['job-abandoned']);
});

test.each<[string, () => unknown, string]>([
  ['a program that was ended', () => new Error('secret', { cause: new ChildFailed('ffmpeg', { kind: 'signal', signal: 'SIGKILL' }, '') }), 'The last time, ffmpeg was ended by SIGKILL from outside.'],
  ['a file that cannot be written', () => Object.assign(new Error('EACCES: open /secret/file'), { code: 'EACCES', syscall: 'open', path: '/secret/file' }), 'The last time, the system refused “open” with EACCES.'],
  ['a refusal of the database', () => Object.assign(new Error('secret'), { code: '53200', severity: 'ERROR' }), 'The last time, PostgreSQL refused a statement with SQLSTATE 53200.'],
])('a job that is abandoned names its last fault without details of the server: %s', async (_name, fault, sentence) => {
  const kind = kindOf(async () => { throw fault(); });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  const { error } = await jobs.reached(id, 'error');
  expect(error?.code).toBe('job-abandoned');
  expect(error?.detail).toContain(sentence);
  expect(error?.detail).toContain('vouch support-bundle');
  expect(error?.detail).not.toContain('secret');
});

test('a problem is final at the first attempt', async () => {
  let attempts = 0;
  const kind = kindOf(async () => { attempts++; throw platformErrors.problem('not-found', 'There is nothing.'); });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  expect((await jobs.reached(id, 'error')).error).toMatchObject({ code: 'not-found', detail: 'There is nothing.' });
  expect(attempts).toBe(1);
});

test('a completion that fails leaves no effect and is repeated', async () => {
  let tries = 0;
  const kind = kindOf(async () => async (transaction) => {
    await transaction.query(`INSERT INTO traces (text) VALUES ('effect')`);
    if (++tries === 1) throw new Error('in the completion');
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  await jobs.reached(id, 'completed');
  expect(tries).toBe(2);
  expect(await jobs.traces()).toEqual(['effect']);
});

test('an object store that is away costs no attempt, one that refuses ends the job with its reason', async () => {
  let tries = 0;
  const away = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:9000'), { code: 'ECONNREFUSED', $metadata: { attempts: 4 } });
  const refused = Object.assign(new Error('secret internals'), { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
  const kind = kindOf(async ({ job }) => {
    if (job.subject === 'refused') throw asStoreFault(refused);
    if (++tries < 8) throw asStoreFault(away);
    return async () => {};
  });
  const [waits, ends] = [await jobs.enqueue(), await jobs.enqueue({ subject: 'refused' })];
  await jobs.work(kind);
  expect((await jobs.reached(waits.id, 'completed')).attempt).toBe(1);
  const { error } = await jobs.reached(ends.id, 'error');
  expect(error).toMatchObject({ code: 'storage-unavailable', detail: expect.stringContaining('AccessDenied') as string });
  expect(JSON.stringify(error)).not.toContain('secret');
});
