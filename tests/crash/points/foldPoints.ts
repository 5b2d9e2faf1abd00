import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { createJobQueue } from '@vouch/platform/jobs/queue';
import { expectStatus } from '../../../bench/harness/vouchClient.ts';
import { listTargets } from '../harness/eventSubject.ts';
import { listScratch, waitUntil } from '../harness/place.ts';
import type { PointOperation } from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';
import { anyOf, laterJobPolls, recommenderPolls } from './quietPoints.ts';

const interactions = 3;

/**
 * Folds interactions and an entity into batches, in the job that the server starts when events are due. After a death, the job completes,
 * each event is in one batch, and events that are sent again are not.
 */
export function foldPoints(): PointOperation {
  const read = new Map<string, readonly string[]>();

  return {
    name: 'folding', arguments: ['--only', 'recommender'],
    beside: anyOf(recommenderPolls, laterJobPolls),
    ready: (world, id) => sendAll(world, id),
    perform: async (world) => untilFolded(world, await startFold(world)),
    async recover(world, id) {
      await waitUntil('all folds have ended', async () => (await world.database.query('SELECT FROM jobs WHERE completed_at IS NULL')).rowCount === 0);
      const wrong = await findWrong(world, id, read);
      // A job's folder is removed after its end is stored.
      await waitUntil('the scratch folder is empty', async () => (await listScratch(world.place)).length === 0);
      return wrong;
    },
    async finish(world, ids) {
      const { database } = world;
      // Repeated events have known ids, so nothing is stored again.
      for (const id of ids) await sendAll(world, id);
      await untilFolded(world, await startFold(world));
      const { rows } = await database.query<{ status: string; jobs: string }>(`SELECT status, count(*) AS jobs FROM jobs GROUP BY status`);
      const { rows: sums } = await database.query<{ rows: string }>('SELECT sum(row_count) AS rows FROM batches');
      const faults = rows.filter(({ status }) => status !== 'completed').map(({ status, jobs }) => `${jobs} jobs are ${status}`);
      const wanted = ids.length * (interactions + 1);
      return Number(sums[0]?.rows) === wanted ? faults : [...faults, `the batches have ${sums[0]?.rows} rows of ${wanted}`];
    },
  };
}

function targetsOf(id: string): string[] {
  return Array.from({ length: interactions }, (_, at) => `${at} of ${id}`);
}

async function sendAll({ client }: PointWorld, id: string): Promise<void> {
  const sent = targetsOf(id).map((target) => ({ id: target, source_id: `user ${id}`, target_id: target }));
  expectStatus(await client.post('/v1/recommender/interactions', { interactions: sent }), 202);
  expectStatus(await client.post('/v1/recommender/entities', { entities: [{ id: `entity ${id}`, type: 'film' }] }, `entity-${id}`), 202);
}

/** Creates the job as the server does for due events, which takes up to a minute there. */
async function startFold({ database }: PointWorld): Promise<string> {
  const queue = createJobQueue(database, systemInterfaces);
  const request = { organizationId: 'default', kind: 'recommender.fold', subject: 'events', input: null, serialKey: 'recommender.fold/default' };
  return (await database.transaction((transaction) => queue.enqueue(transaction, request))).id;
}

async function untilFolded({ database }: PointWorld, job: string): Promise<void> {
  await waitUntil('the fold has ended', async () => (await database.query('SELECT FROM jobs WHERE id = $1 AND completed_at IS NOT NULL', [job])).rowCount === 1);
}

/** Returns the events of an id that are not in exactly one batch. */
async function findWrong({ database, place }: PointWorld, id: string, read: Map<string, readonly string[]>): Promise<string[]> {
  const all = await listTargets(database, place, read);
  const { rowCount } = await database.query('SELECT FROM events LEFT JOIN event_folds USING (organization_id) WHERE sequence > coalesce(through, 0)');
  const wrong = [...targetsOf(id), `entity ${id}`].map((target) => ({ target, times: all.filter((each) => each === target).length })).filter(({ times }) => times !== 1);
  return [...wrong.map(({ target, times }) => `${target} is stored ${times} times`), ...(rowCount === 0 ? [] : [`${rowCount} events are in no batch`])];
}
