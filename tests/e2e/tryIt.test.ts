import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import { triedGuides } from './harness/commandBlocks.ts';
import { openReaderShell } from './harness/readerShell.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface Operation {
  requestBody?: { content: Record<string, { example?: object }> };
}

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
const results: Readonly<Record<(typeof triedGuides)[number], readonly RegExp[]>> = {
  'README.md': [
    /"status":"completed"/, /"verdict":"better than popularity"/, /"target_id":"f0002","rank":1/, /report\.html/,
    /not a quote +invalid +0 +1 +0 +0/, /forged +malicious +0 +0 +1 +0/, /^vch_/m, /Restored the backup/,
  ],
  'docs/guides/video.md': [/"status":"completed"/, /"kind":"mp4"/],
  'docs/guides/verifier.md': [/wallet\.keystore_path +node\.json/, /The configuration is valid/],
};

describe.concurrent('the commands of', () => {
  it.each(sampleOf(triedGuides, 1))('%s succeed as pasted into an empty directory', async (page) => {
    const shell = await openReaderShell();
    try {
      const output = await shell.runDocument(page);
      for (const result of results[page]) expect(output).toMatch(result);
    } finally {
      await shell.close();
    }
  }, 600_000);
});
