import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface Operation {
  requestBody?: { content: Record<string, { example?: object }> };
}

let vouch: RunningVouch;

beforeAll(async () => {
  vouch = await startVouch();
});

afterAll(() => vouch.stop());

it.each(['/v1/recommender/train', '/v1video-summarization/create'])('what the try-it page begins with is accepted by %s', async (path) => {
  const client = vouch.client.withKey(vouch.key);
  const { paths } = (await client.get('/openapi.json')).json<{ paths: Record<string, Record<string, Operation>> }>();
  const body = paths[path]?.['post']?.requestBody?.content['application/json']?.example;
  expect(body).toBeDefined();
  expect(await client.send('POST', path, { body: body as object })).toMatchObject({ status: 202 });
});
