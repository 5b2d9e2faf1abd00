import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '@vouch/platform/database/database';
import type { Job, JobContext } from '@vouch/platform/jobs/job';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform } from '@vouch/platform/product/product';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foldEvents } from '../events/foldEvents.ts';
import { BatchTestServer } from '../testing/batchTestServer.ts';
import { takeSnapshot } from './takeSnapshot.ts';

const jobId = '00000000-0000-4000-8000-000000000001';
const { signal } = new AbortController();
let at: BatchTestServer;

beforeAll(async () => { at = await BatchTestServer.start(); });
afterAll(() => at.close());

const platform = (): Platform => ({ ...systemInterfaces, database: at.database, blobs: at.blobs, log: createLogger('silent') } as unknown as Platform);
const send = (target: string) => at.send('interactions', { interactions: [{ type: 'view', source_id: 'u', target_id: target }] });

async function sendAndFold(target: string): Promise<void> {
  expect((await send(target)).status).toBe(202);
  await foldEvents(platform(), 'acme', { scratch: await mkdtemp(join(at.scratch, 'other-')), signal });
}

/** The platform of a process to which something happens when it has folded its own events and has read the mark of the fold again. */
function interrupted(happens: () => Promise<void>): Platform {
  let reads = 0;
  const slow = (connection: Connection): Connection => ({
    async query(sql, values) {
      const result = await connection.query(sql, values as unknown[]);
      if (/SELECT.* through FROM event_folds/s.test(sql)) reads += 1;
      // The first read is that of the fold, which finds nothing to fold.
      if (/SELECT.* through FROM event_folds/s.test(sql) && reads === 2) await happens();
      return result as never;
    },
  });
  const { database } = at;
  const transaction = <Result>(work: (connection: Connection) => Promise<Result>) => database.transaction((connection) => work(slow(connection)));
  return { ...platform(), database: { ...database, ...slow(database), transaction } } as Platform;
}

it('the mark of a snapshot covers exactly the events of its batches, also if another process folds events meanwhile', async () => {
  await at.database.query(`INSERT INTO trainings (job_id, organization_id, model_id, parameters) VALUES ($1, 'acme', 'm', '{}')`, [jobId]);
  await sendAndFold('first');
  let interruptions = 0;
  const during = interrupted(() => sendAndFold(`during ${interruptions += 1}`));
  const context = { job: { id: jobId, organizationId: 'acme' } as Job, scratch: at.scratch, signal } as JobContext;
  const { files } = await takeSnapshot(during, context, { setting: 'default', seed: 1, data_tags: [], maximum_interaction_age_days: null });
  expect(interruptions).toBe(1);
  const { rows: [training] } = await at.database.query<{ events_through: string }>('SELECT events_through FROM trainings WHERE job_id = $1', [jobId]);
  const { rows: [events] } = await at.database.query<{ count: string }>('SELECT count(*) FROM batches WHERE blob = ANY($1)', [files.map(({ blob }) => blob)]);
  expect(Number(training?.events_through)).toBe(Number(events?.count));
});
