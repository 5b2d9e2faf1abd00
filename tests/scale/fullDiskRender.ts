import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { missingFfmpeg } from '../../packages/video/engine/testing/installedFfmpeg.ts';
import { makeFixture } from '../../packages/video/engine/testing/clips/makeFixture.ts';
import { startFuzzEngine } from '../fuzz/media/throughEngine.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';
import { mountSmallDisk, whyNoSmallDisk } from './smallDisk.ts';

/** Free space in bytes: enough for the folders, so that the decoder is the first program without room for its file. */
const leave = 8_192;
const options = { duration: 2, outputs: ['mp4' as const, 'poster' as const] };

export const fullDiskRender: HeavyTest = {
  name: 'fullDiskRender',
  guarantee: 'an analysis or a preview that fills the disk is told as storage-full by each decoder, and the same engine works on with space',
  skip: whyNoSmallDisk,
  async run(print) {
    const path = await makeFixture({ seconds: 4, width: 320, height: 180 });
    const missing = await missingFfmpeg();
    for (const backend of missing === null ? [null, 'none'] : ['none']) {
      const disk = await mountSmallDisk(16);
      const scratch = await mkdtemp(join(tmpdir(), 'vouch-render-'));
      const engine = startFuzzEngine(backend);
      try {
        const info = await engine.call('probe', { path });
        const analyse = (folder: string): Promise<unknown> => engine.call('analyse', { path, info, tier: 'fast', analysisFile: join(folder, 'analysis') });
        const ask = { path, sourceHash: 'film', analysisFile: join(scratch, 'analysis'), options, cues: [], folder: join(disk.folder, 'out'), pieceFolder: join(disk.folder, 'pieces'), title: 'film.mp4', report: null };
        await analyse(scratch);
        await disk.fill(0);
        const analysed = await codeOf(analyse(disk.folder));
        await disk.fill(leave);
        const found = [analysed, await codeOf(engine.call('render', ask))];
        print(`${backend ?? 'an installed ffmpeg'}: ${found.join(', ')}`);
        expectEqual('on a full disk', found, ['storage-full', 'storage-full']);
        await disk.empty();
        await engine.call('render', ask);
        expectEqual('files with space', (await readdir(ask.folder)).toSorted(), ['poster.jpg', 'preview.mp4']);
      } finally {
        await engine.stopped();
        await disk.remove();
        await rm(scratch, { recursive: true });
      }
    }
  },
};

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(() => 'no error', (error: unknown) => (error instanceof Problem ? error.code : String(error)));
}
