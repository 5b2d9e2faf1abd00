import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expectStatus, type VouchClient } from '../../bench/harness/vouchClient.ts';
import { makeFixture } from '../../packages/video/engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../../packages/video/testing/mediaTestServer.ts';
import { expectEqual, expectTrue, withVouch, type HeavyTest } from './heavyTest.ts';
import { mountSmallDisk, whyNoSmallDisk } from './smallDisk.ts';

/** Size of the disk: the database (about 60 MB with its log) and a reserve. */
const diskMegabytes = 320;
/** Size of the film in bytes; larger than the free space for the download, smaller than the free space for the render. */
const filmBytes = 60 * 2 ** 20;
const leaveForDownload = 40 * 2 ** 20;
const pollMs = 100;

interface RunEnd {
  run_id: string;
  status: string;
  stage: string | null;
  error: { code: string; detail: string } | null;
}

export const fullDiskVideo: HeavyTest = {
  name: 'fullDiskVideo',
  guarantee: 'a run whose media fills the disk ends with storage-full and leaves nothing; with space again the same run completes',
  skip: whyNoSmallDisk,
  async run(print) {
    const disk = await mountSmallDisk(diskMegabytes);
    const media = await MediaTestServer.start();
    try {
      const film = await readFile(await makeFixture({ seconds: 4 }));
      // Readers ignore the free box that enlarges the mp4.
      media.files.set('/film.mp4', { content: Buffer.concat([film, freeBox(filmBytes)]) });
      const environment = { VOUCH_ALLOW_PRIVATE_ADDRESSES: media.address };
      await withVouch(async ({ client }) => {
        await disk.fill(leaveForDownload);
        const failed = await summarize(client, `${media.url}/film.mp4`);
        print(`the run ended with ${failed.status} in ${failed.stage}: ${failed.error?.code}: ${failed.error?.detail}`);
        expectEqual('run on a full disk', { status: failed.status, code: failed.error?.code }, { status: 'error', code: 'storage-full' });
        expectTrue('the error has a sentence', (failed.error?.detail ?? '').length > 20);
        await disk.empty();
        const again = await summarize(client, `${media.url}/film.mp4`);
        expectEqual('the same run with space', { status: again.status, error: again.error }, { status: 'completed', error: null });
      }, { folder: disk.folder, environment });
    } finally {
      await media.close();
      await disk.remove();
    }
  },
};

function freeBox(bytes: number): Buffer {
  const box = randomBytes(bytes);
  box.writeUInt32BE(bytes);
  box.write('free', 4, 'latin1');
  return box;
}

async function summarize(client: VouchClient, url: string): Promise<RunEnd> {
  const options = { duration: 2, analysis: 'fast', outputs: ['mp4'] };
  const { run_id: id } = expectStatus(await client.post('/v1video-summarization/create', { media_url: url, options }), 202) as RunEnd;
  for (;;) {
    const record = expectStatus(await client.get(`/v1/status/${id}`), 200) as RunEnd;
    if (['completed', 'error', 'cancelled'].includes(record.status)) return record;
    await sleep(pollMs);
  }
}
