import { expectStatus, type VouchClient } from '../../../bench/harness/vouchClient.ts';
import { listTargets } from '../harness/eventSubject.ts';
import { uploadCatalogue, withoutChoice } from '../harness/place.ts';
import type { PointOperation } from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';
import { anyOf, jobPolls, recommenderPolls } from './quietPoints.ts';

const model = 'listed';
/** Items of the catalogue that each user views, one per request. */
const viewed = ['i0', 'i1'];
/** Events are visible in lists at the latest half a second after they were stored. */
const visibleMs = 5_000;

/**
 * Sends interactions twice: with ids, which the program stores in a transaction with other requests, and with an idempotency key. After a death, what was
 * acknowledged is stored and counts in lists; the repeated requests store nothing twice.
 */
export function eventPoints(): PointOperation {
  const acknowledged = new Set<string>();

  const send = async ({ client }: PointWorld, id: string): Promise<void> => {
    expectStatus(await client.post('/v1/recommender/interactions', interactionsOf(id, 0)), 202);
    acknowledged.add(targetOf(id, 0));
    expectStatus(await client.post('/v1/recommender/interactions', interactionsOf(id, 1), id), 202);
    acknowledged.add(targetOf(id, 1));
  };

  return {
    name: 'events', arguments: ['--only', 'recommender'],
    beside: anyOf(recommenderPolls, jobPolls),
    async prepare({ client }) {
      await uploadCatalogue(client);
      expectStatus(await client.post('/v1/recommender/train', { model_id: model, ...withoutChoice }), 202);
      const { status } = await client.untilEnded(model);
      if (status !== 'completed') throw new Error(`the training ended with ${status}`);
    },
    // A program reads a key once and keeps it, so the key is read before the points are counted.
    ready: async ({ client }, id) => void (await client.batches(id)),
    perform: send,
    async recover(world, id) {
      const faults: string[] = [];
      const stored = await countStored(world, id);
      const bad = stored.filter(({ target, times }) => times > 1 || (times === 0 && acknowledged.has(target)));
      if (bad.length > 0) faults.push(`after the restart: ${JSON.stringify(bad)}`);
      await send(world, id).catch((error: unknown) => faults.push(`repeated: ${(error as Error).message}`));
      const repeated = await countStored(world, id);
      if (repeated.some(({ times }) => times !== 1)) faults.push(`repeated: ${JSON.stringify(repeated)}`);
      const listed = await untilListed(world.client, id);
      if (listed !== null) faults.push(listed);
      return faults;
    },
  };
}

function targetOf(id: string, at: number): string {
  return `target ${at} of ${id}`;
}

/** A view of an item of the catalogue, and one whose target exists once. */
function interactionsOf(id: string, at: number): object {
  const named = (name: string): object => (at === 0 ? { id: `${id} ${name}` } : {});
  return { interactions: [
    { source_id: `user ${id}`, target_id: viewed[at], type: 'view', ...named('view') },
    { source_id: `user ${id}`, target_id: targetOf(id, at), type: 'view', ...named('target') },
  ] };
}

async function countStored({ database, place }: PointWorld, id: string): Promise<{ target: string; times: number }[]> {
  const all = await listTargets(database, place);
  return viewed.map((_, at) => targetOf(id, at)).map((target) => ({ target, times: all.filter((each) => each === target).length }));
}

/** Waits until a list of the user follows from the viewed items. @returns a fault, or null */
async function untilListed(client: VouchClient, id: string): Promise<string | null> {
  const query = new URLSearchParams({ model_id: model, entity_id: `user ${id}`, output_format: 'json' });
  const deadline = performance.now() + visibleMs;
  for (;;) {
    const answer = await client.get(`/v1/recommender/related_items?${query}`);
    const text = JSON.stringify(answer.body);
    if (answer.status === 200 && viewed.every((item) => text.includes(`"${item}"`))) return null;
    if (performance.now() > deadline) return `the list of the user does not follow from ${viewed.join(' and ')}: ${answer.status} ${text.slice(0, 400)}`;
  }
}
