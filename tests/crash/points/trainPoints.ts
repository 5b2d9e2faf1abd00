import { expectStatus } from '../../../bench/harness/vouchClient.ts';
import { askModel, listScratch, uploadCatalogue, waitUntil, withoutChoice } from '../harness/place.ts';
import type { PointOperation } from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';
import { anyOf, laterJobPolls, recommenderPolls } from './quietPoints.ts';

const shape = { items: 40, users: 100, interactions: 1_000, seed: 5 };

/**
 * Trains a model, from the request to the published version. After a death, the repeated request starts no second training, the training completes, and its
 * version answers as the version of the undisturbed training does.
 */
export function trainPoints(): PointOperation {
  let answer: string | null = null;

  const train = async ({ client }: PointWorld, id: string): Promise<void> => {
    expectStatus(await client.post('/v1/recommender/train', { model_id: id, data_tags: ['catalogue', id], ...withoutChoice }, id), 202);
    const { status, error } = await client.untilEnded(id);
    if (status !== 'completed') throw new Error(`the training ended with ${status}: ${error?.detail}`);
  };

  return {
    name: 'training', arguments: ['--only', 'recommender'],
    beside: anyOf(recommenderPolls, laterJobPolls),
    prepare: ({ client }) => uploadCatalogue(client, shape),
    // One more entity, so that each training stores files of its own.
    ready: async ({ client }, id) => void expectStatus(await client.upload([{ name: 'more.csv', content: [`id,type,name,metadata,media_url\nmore-${id},item,More,,\n`] }], [id]), 201),
    perform: train,
    async recover(world, id) {
      try {
        await train(world, id);
        const found = await askModel(world.client, id);
        answer ??= await askModel(world.client, 'first');
        const { rowCount: trainings } = await world.database.query('SELECT FROM jobs WHERE subject = $1', [id]);
        await waitUntil('the scratch folder is empty', async () => (await listScratch(world.place)).length === 0);
        return [...(found === answer ? [] : [`the version answers ${found}`]), ...(trainings === 1 ? [] : [`there are ${trainings} trainings`])];
      } catch (error) {
        return [(error as Error).message];
      }
    },
  };
}
