import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import { findCommandBlocks, triedPages } from './harness/commandBlocks.ts';
import { openReaderShell } from './harness/readerShell.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface Operation {
  requestBody?: { content: Record<string, { example?: object }> };
}

const root = new URL('../../', import.meta.url);

describe('the API reference', () => {
  let vouch: RunningVouch;

  beforeAll(async () => {
    vouch = await startVouch();
  });

  afterAll(() => vouch.stop());

  it.each(['/v1/recommender/train', '/v1video-summarization/create'])('begins with an example that %s accepts', async (path) => {
    const client = vouch.client.withKey(vouch.key);
    const { paths } = (await client.get('/openapi.json')).json<{ paths: Record<string, Record<string, Operation>> }>();
    const body = paths[path]?.['post']?.requestBody?.content['application/json']?.example;
    expect(body).toBeDefined();
    expect(await client.send('POST', path, { body: body as object })).toMatchObject({ status: 202 });
  });
});

/** Output that the commands of a page must contain, in addition to exit code 0. */
const results: Readonly<Record<(typeof triedPages)[number], readonly RegExp[]>> = {
  'README.md': [
    /"status":"completed"/, /"verdict":"better than popularity"/, /"target_id":"f0002","rank":1/, /report\.html/,
    /not a quote +invalid +0 +1 +0 +0/, /forged +malicious +0 +0 +1 +0/, /^vch_/m, /Restored the backup/,
  ],
  'docs/guides/video.md': [/"status":"completed"/, /"kind":"mp4"/],
  'docs/guides/verifier.md': [/wallet\.keystore_path +node\.json/, /The configuration is valid/],
};

describe.concurrent('the commands of', () => {
  it.each(sampleOf(triedPages, 1))('%s succeed as pasted into an empty directory', async (page) => {
    const blocks = findCommandBlocks(await readFile(new URL(page, root), 'utf8')).filter(({ notRun }) => notRun === null);
    const shell = await openReaderShell();
    try {
      let output = '';
      for (const { line, commands } of blocks) {
        output += await shell.run(commands).catch((error: unknown) => {
          throw new Error(`${join(page)}:${line}: ${error instanceof Error ? error.message : String(error)}`);
        });
      }
      for (const result of results[page]) expect(output).toMatch(result);
    } finally {
      await shell.close();
    }
  }, 600_000);
});
