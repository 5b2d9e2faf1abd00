import { expectStatus, problemCode } from '../../bench/harness/vouchClient.ts';
import { entityPieces, interactionPieces } from '../../bench/data/generate.ts';
import { expectEqual, expectTrue, fetchState, withVouch, type HeavyTest, type RunningVouch } from './heavyTest.ts';
import { interactionRows } from './largeFiles.ts';
import { mountSmallDisk, whyNoSmallDisk, type SmallDisk } from './smallDisk.ts';

/** Size of the disk: the database (about 60 MB with its log), the data below, and a reserve. */
const diskMegabytes = 640;
const shape = { items: 3_000, users: 20_000, interactions: 300_000, seed: 5 };
/** The 120 MB of CSV below do not fit, while the database still has room for two log segments of 16 MB. */
const leaveForUpload = 40 * 2 ** 20;
const uploadRows = 4_000_000;
/** Free space in bytes; less than the arrays and the model of a training need. */
const leaveForTraining = 2 * 2 ** 20;

/** Runs `work` with the data folder on a small tmpfs. */
async function withSmallDisk(work: (running: RunningVouch, disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = await mountSmallDisk(diskMegabytes);
  try {
    await withVouch((running) => work(running, disk), { folder: disk.folder });
  } finally {
    await disk.remove();
  }
}

export const fullDiskUpload: HeavyTest = {
  name: 'fullDiskUpload',
  guarantee: 'an upload that fills the disk is refused with storage-full and leaves nothing; with space again the next one works',
  skip: whyNoSmallDisk,
  run: (print) =>
    withSmallDisk(async (running, disk) => {
      const { client } = running;
      expectStatus(await client.upload([{ name: 'small.csv', content: interactionRows(1_000) }], ['before']), 201);
      const before = await fetchState(running);
      await disk.fill(leaveForUpload);
      const answer = await client.upload([{ name: 'large.csv', content: interactionRows(uploadRows) }], ['large']);
      print(`answered ${answer.status} ${problemCode(answer)}`);
      expectEqual('status and code', { status: answer.status, code: problemCode(answer) }, { status: 507, code: 'storage-full' });
      await disk.empty();
      expectEqual('batches and blobs', await fetchState(running), before);
      expectStatus(await client.upload([{ name: 'small.csv', content: interactionRows(2_000) }], ['after']), 201);
    }),
};

export const fullDiskTraining: HeavyTest = {
  name: 'fullDiskTraining',
  guarantee: 'a training that fills the disk ends with an error that says so, the previous version answers, the next training works',
  skip: whyNoSmallDisk,
  run: (print) =>
    withSmallDisk(async ({ client }, disk) => {
      expectStatus(await client.upload([{ name: 'entities.csv', content: entityPieces(shape) }]), 201);
      expectStatus(await client.upload([{ name: 'interactions.csv', content: interactionPieces(shape) }]), 201);
      expectEqual('first training', (await client.train('model')).status, 'completed');
      const question = '/v1/recommender/related_items?model_id=model&entity_id=i0&max_recommendations=10';
      const before = await client.get(question);
      expectEqual('first answer', before.status, 200);
      await disk.fill(leaveForTraining);
      const failed = await client.train('model');
      print(`the training ended with ${failed.status}: ${failed.error?.code}: ${failed.error?.detail}`);
      expectEqual('training on a full disk', { status: failed.status, code: failed.error?.code }, { status: 'error', code: 'storage-full' });
      expectTrue('the error has a sentence', (failed.error?.detail ?? '').length > 20);
      expectEqual('answer of the previous version', await client.get(question), before);
      await disk.empty();
      expectEqual('next training', (await client.train('model')).status, 'completed');
    }),
};
