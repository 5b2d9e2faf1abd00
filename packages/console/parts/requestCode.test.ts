import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestCode, type Language } from './requestCode.ts';

let received: IncomingMessage[] = [];
const server = createServer((request, response) => {
  received.push(request);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"served":true}');
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** How a reader runs the copied code; the key is in the environment. */
const programs: readonly [Language, string, string[]][] = [
  ['curl', 'bash', ['-c']],
  ['TypeScript', process.execPath, ['--input-type=module', '-e']],
  ['Python', 'python3', ['-c']],
];

function run(program: string, words: readonly string[]): Promise<{ missing: boolean; output: string; errors: string }> {
  return new Promise((resolve) => {
    execFile(program, [...words], { env: { ...process.env, VOUCH_API_KEY: 'the-key' } }, (error, output, errors) =>
      resolve({ missing: error?.code === 'ENOENT' || error?.code === 127, output, errors }));
  });
}

it.each(programs)('the copied %s code sends the request with the key of the environment', async (language, program, words) => {
  received = [];
  const path = `/v1/recommender/related_items?model_id=m&entity_id=it%27s+%C3%A9&filter=${encodeURIComponent('item.name != "x\\"')}&o='"`;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const { missing, output, errors } = await run(program, [...words, requestCode(language, url)]);
  // A machine without curl or Python cannot run their code; Node is always there.
  if (missing && language !== 'TypeScript') return;
  expect(output, errors).toMatch(/served['"]?: ?[tT]rue/);
  expect(received.map(({ method, headers }) => [method, headers['apikey']])).toEqual([['GET', 'the-key']]);
  expect(decodeURIComponent(received[0]!.url!)).toBe(decodeURIComponent(path));
});
