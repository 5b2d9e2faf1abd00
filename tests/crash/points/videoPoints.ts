import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expectStatus } from '../../../bench/harness/vouchClient.ts';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../../../packages/video/testing/mediaTestServer.ts';
import { listScratch, waitUntil } from '../harness/place.ts';
import { findRunFaults, type RunRecord } from '../harness/videoRuns.ts';
import type { PointOperation } from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';
import { anyOf, laterJobPolls, recommenderPolls } from './quietPoints.ts';

const options = { duration: 2, width: 96, height: 54, analysis: 'accurate', outputs: ['mp4', 'poster', 'storyboard'] };

/**
 * Summarizes a video, from the request to the stored files of the preview. After a death, the repeated request starts no second run, the run completes with
 * the segments, the warnings and the files of the undisturbed run.
 * @param more further environment variables of the program
 */
export function videoPoints(more: Readonly<Record<string, string>> = {}): PointOperation {
  let media: MediaTestServer | null = null;
  let clip: Buffer = Buffer.alloc(0);
  /** What the undisturbed run made. */
  let made: string | null = null;

  const summarize = async ({ client }: PointWorld, id: string): Promise<RunRecord> => {
    const record = expectStatus(await client.post('/v1video-summarization/create', { media_url: `${media?.url}${pathOf(id)}`, options }, id), 202) as RunRecord;
    let last = record;
    await waitUntil(`the run ${id} has ended`, async () => {
      last = expectStatus(await client.get(`/v1/status/${record.run_id}`), 200) as RunRecord;
      return ['completed', 'error', 'cancelled'].includes(last.status);
    });
    return last;
  };

  return {
    name: 'video', arguments: ['--only', 'video'],
    // Of the stored files, the first ones; the others follow in the same way. The secret of links is stored once per installation.
    beside: anyOf(recommenderPolls, laterJobPolls, /\bINTO link_secret\b/, /^(?:[5-9]|\d\d+) (?:before|after) .* blobs\//),
    async open() {
      media = await MediaTestServer.start();
      clip = await readFile(await makeFixture({ seconds: 6, cuts: [2, 4] }));
      return { environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: media.address, VOUCH_VIDEO_THREADS: '1', ...more }, close: async () => media?.close() };
    },
    ready: async (_world, id) => void media?.files.set(pathOf(id), { content: Buffer.concat([clip, freeBox(id)]) }),
    async perform(world, id) {
      const record = await summarize(world, id);
      const faults = await findRunFaults(record, new Set());
      if (faults.length > 0) throw new Error(faults.join());
      made ??= await describeMade(record);
    },
    async recover(world, id) {
      try {
        const record = await summarize(world, id);
        const faults = await findRunFaults(record, new Set());
        const found = await describeMade(record);
        if (found !== made) faults.push(`the run made ${found} instead of ${made}`);
        const { rowCount: runs } = await world.database.query('SELECT FROM video_runs WHERE media_url LIKE $1', [`%${pathOf(id)}`]);
        if (runs !== 1) faults.push(`there are ${runs} runs`);
        await waitUntil('the scratch folder is empty', async () => (await listScratch(world.place)).length === 0);
        return faults;
      } catch (error) {
        return [(error as Error).message];
      }
    },
  };
}

/** The segments and warnings of a run, and its files with the hashes of their contents, except the cues of the storyboard, which name the run. */
async function describeMade({ segments, warnings, outputs }: RunRecord): Promise<string> {
  const files = await Promise.all(outputs.map(async ({ kind, url, bytes }) => {
    const content = kind === 'storyboard-vtt' ? null : createHash('sha256').update(new Uint8Array(await (await fetch(url)).arrayBuffer())).digest('hex');
    return { kind, bytes, content };
  }));
  return JSON.stringify({ segments, warnings, files });
}

/** Returns a path whose point has the same name for all ids. */
function pathOf(id: string): string {
  return `/${createHash('sha256').update(id).digest('hex')}.mp4`;
}

/** Returns a box of an MP4 file that players skip. Each run has media of its own by it. */
function freeBox(text: string): Buffer {
  const box = Buffer.alloc(8 + text.length);
  box.writeUInt32BE(box.length);
  box.write(`free${text}`, 4, 'latin1');
  return box;
}
