import { expectStatus, problemCode } from '../../../bench/harness/vouchClient.ts';
import { listScratch, uploadCatalogue, waitUntil, withoutChoice } from '../harness/place.ts';
import type { PointOperation } from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';
import { recommenderPolls } from './quietPoints.ts';

const model = 'shop';
const seen = ['i0', 'i1', 'i2'];

/**
 * Uploads interactions of a user whom the model does not know, and waits until the lists of the user follow from these. An upload that is refused because its reader
 * ended has stored nothing, and is sent again, as a client does.
 */
export function readingPoints(): PointOperation {
  let ranked: string | null = null;

  return {
    name: 'reading', arguments: ['--only', 'recommender'],
    beside: recommenderPolls,
    async prepare({ client }) {
      await uploadCatalogue(client, { items: 40, users: 100, interactions: 1_000, seed: 5 });
      expectStatus(await client.post('/v1/recommender/train', { model_id: model, ...withoutChoice }), 202);
      await client.untilEnded(model);
    },
    async perform(world, id) {
      const { client } = world;
      const content = ['type,source_id,target_id,timestamp,metadata\n', ...seen.map((item) => `view,${id},${item},,\n`)];
      for (;;) {
        const answer = await client.upload([{ name: 'views.csv', content }], [id], id);
        if (answer.status === 201) break;
        if (problemCode(answer) !== 'upload-interrupted') expectStatus(answer, 201);
        const stored = await client.batches(id);
        if (stored.length > 0) throw new Error(`the refused upload has ${stored.length} batches`);
      }
      await waitUntil(`the rows of ${id} count`, async () => await rank(world, id) !== null);
      ranked ??= await rank(world, id);
    },
    async recover(world, id) {
      const [found, batches] = [await rank(world, id), await world.client.batches(id)];
      await waitUntil('the scratch folder is empty', async () => (await listScratch(world.place)).length === 0);
      const rows = batches.map(({ interaction_count: count }) => count).join();
      return [...(found === ranked ? [] : [`the list is ${found} instead of ${ranked}`]), ...(rows === String(seen.length) ? [] : [`the batches have ${rows} rows`])];
    },
  };
}

/** The items of a user's list with their scores; null if the server does not know the user. */
async function rank({ client }: PointWorld, user: string): Promise<string | null> {
  const { status, body } = await client.post('/v1/recommender/recommend', { model_id: model, entity_id: user, max_recommendations: 20 });
  if (status !== 200) return null;
  return JSON.stringify((body as { recommendations: { target_id: string; score: number }[] }).recommendations.map(({ target_id: item, score }) => [item, score]));
}
