import { expectStatus, type BatchRecord, type UploadFile } from '../../../bench/harness/vouchClient.ts';
import { listScratch } from '../harness/place.ts';
import type { PointOperation } from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';
import { anyOf, jobPolls, recommenderPolls } from './quietPoints.ts';

const model = 'scheduled';

/** Rows of an id's files. The content contains the id, so each upload has blobs of its own. */
function filesOf(id: string): UploadFile[] {
  return [
    { name: 'items.csv', content: [`id,type,name,metadata,media_url\nitem ${id},movie,One,,\n`] },
    { name: 'views.csv', content: [`type,source_id,target_id,timestamp,metadata\nview,user ${id},item ${id},1700000000,\nview,user ${id},other,1700000000,\n`] },
  ];
}

const wholeUpload = { batches: 2, entities: 1, interactions: 2 };
const nothing = { batches: 0, entities: 0, interactions: 0 };

/**
 * Uploads two files with an idempotency key and a schedule that counts interactions. After a death, the upload is there as a whole or not at all; the
 * repeated request gets the answer of the first, and stores nothing twice.
 */
export function uploadPoints(): PointOperation {
  const acknowledged = new Map<string, string>();

  const upload = async ({ client }: PointWorld, id: string): Promise<void> => {
    const answer = expectStatus(await client.upload(filesOf(id), [id], id), 201) as BatchRecord[];
    const ids = answer.map(({ batch_id }) => batch_id).join();
    const known = acknowledged.get(id);
    if (known !== undefined && known !== ids) throw new Error(`the repeated request was answered with ${ids}, the first with ${known}`);
    acknowledged.set(id, ids);
  };

  return {
    name: 'upload', arguments: ['--only', 'recommender'],
    // A child that converted the repeated upload of the point before also converts this one.
    beside: anyOf(recommenderPolls, jobPolls, /\b(?:spawn|exit) of convertFile/),
    async prepare({ client, database }) {
      expectStatus(await client.post('/v1/recommender/train', { model_id: model, data_tags: ['none'] }), 202);
      await client.untilEnded(model);
      await database.query(
        `INSERT INTO schedules (organization_id, model_id, timezone, after_interactions, training, created_at, counted_through)
         VALUES ('default', $1, 'UTC', 1000000000, '{"parameters":{"data_tags":[]},"callbackUrl":null}', now(), 0)`, [model]);
    },
    // A program reads a key once and keeps it, so the key is read before the points are counted.
    ready: async ({ client }, id) => void (await client.batches(id)),
    perform: upload,
    async recover(world, id) {
      const faults: string[] = [];
      const scratch = await listScratch(world.place);
      if (scratch.length > 0) faults.push(`left in the scratch folder: ${scratch.join()}`);
      const found = await count(world, id);
      const wanted = acknowledged.has(id) ? [wholeUpload] : [wholeUpload, nothing];
      if (!wanted.some((each) => same(each, found))) faults.push(`after the restart, it has ${JSON.stringify(found)}`);
      await upload(world, id).catch((error: unknown) => faults.push(`repeated: ${(error as Error).message}`));
      const repeated = await count(world, id);
      if (!same(wholeUpload, repeated)) faults.push(`repeated, it has ${JSON.stringify(repeated)}`);
      return faults;
    },
    async finish({ database }, ids) {
      const { rows } = await database.query<{ counted: string }>('SELECT new_interactions AS counted FROM schedules WHERE model_id = $1', [model]);
      const wanted = ids.length * wholeUpload.interactions;
      return Number(rows[0]?.counted) === wanted ? [] : [`the schedule counted ${rows[0]?.counted} interactions of ${wanted}`];
    },
  };
}

async function count({ client }: PointWorld, id: string): Promise<typeof wholeUpload> {
  const batches = await client.batches(id);
  const sum = (field: 'entity_count' | 'interaction_count'): number => batches.reduce((total, batch) => total + batch[field], 0);
  return { batches: batches.length, entities: sum('entity_count'), interactions: sum('interaction_count') };
}

function same(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
