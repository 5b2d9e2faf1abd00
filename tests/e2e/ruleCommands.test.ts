import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

/** `vouch rules` and `vouch experiments` against a server that runs. */
let vouch: RunningVouch;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-rule-commands-'));
  vouch = await startVouch();
  const { client } = vouch;
  const films = Array.from({ length: 8 }, (_, at) => `f${at},film,Film ${at},"{""price"":${at}}",`);
  const rows = Array.from({ length: 12 }, (_, user) => [0, 1, 2].map((step) => `purchase,u${user},f${(user + step) % 8},,`)).flat();
  await client.upload([`id,type,name,metadata,media_url\n${films.join('\n')}\n`, `type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`], ['t']);
  expect(await client.train({ model_id: 'films' })).toMatchObject({ status: 'completed' });
  expect(await client.send('POST', '/v1/recommender/recommend', { body: { model_id: 'films', entity_id: 'u3' } })).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await vouch?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number;
  output: string;
  errors: string;
}

function run(words: readonly string[], { key = vouch.key, url = vouch.url, input = '' } = {}): Promise<Ended> {
  const env = { ...process.env, ...(key === '' ? {} : { VOUCH_API_KEY: key }) };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [vouchProgram, ...words, '--url', url], { env }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }));
    child.stdin?.end(input);
  });
}

exhaustiveTest('makes, lists, previews and deletes rules', async () => {
  const rule = ['--filter', 'item.price < 3', '--model', 'films'];
  expect(await run(['rules', 'list'])).toMatchObject({ code: 0, output: 'The organization has no rules. vouch rules put makes one.\n' });
  expect((await run(['rules', 'preview', 'cheap', ...rule])).output).toMatch(/^The rule cheap changes 1 of the latest 1 answers: \d+ items leave lists/);
  expect(await run(['rules', 'put', 'cheap', ...rule, '--until', '2999-01-01T00:00:00Z', '--disabled'])).toMatchObject({
    code: 0, output: 'cheap (disabled), for the lists of the model films\nfilter: item.price < 3\nuntil: 2999-01-01T00:00:00.000Z\n',
  });
  expect(JSON.parse((await run(['rules', 'put', 'cheap', ...rule, '--json'])).output)).toMatchObject({ name: 'cheap', status: 'in_force', model_id: 'films', valid_until: null });
  expect((await run(['rules', 'preview', 'cheap'])).output).toMatch(/^The rule cheap changes 1 of the latest 1 answers/);
  expect((await run(['rules', 'list'])).output).toMatch(/^cheap +in_force +films +item\.price < 3 +0$/m);
  expect((await run(['rules', 'delete', 'cheap'])).output).toMatch(/^Deleted: cheap/);
  expect(await run(['rules', 'show', 'cheap', '--json'])).toMatchObject({ code: exitCodes.input, output: expect.stringContaining('{"error":{"code":"unknown-rule"') as string });
});

exhaustiveTest('starts an experiment from a file or standard input, reads its results and ends it', async () => {
  const definition = JSON.stringify({ arms: { a: { model_id: 'films' }, b: { model_id: 'films', filter: 'item.price < 3' } }, outcome: ['purchase'], guardrails: [{ metric: 'empty_lists' }] });
  const path = join(folder, 'cheap.json');
  await writeFile(path, definition);
  const made = await run(['experiments', 'put', 'cheap', path]);
  expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/^cheap \(split\), since 20.*\narm a: model films\narm b: model films, filter item\.price < 3\noutcome: purchase, within 7 days; share of arm b: 0\.5\n$/) as string });
  // The same definition does not start over.
  expect((await run(['experiments', 'put', 'cheap', '-'], { input: definition })).output).toBe(made.output);
  expect((await run(['experiments', 'list'])).output).toMatch(/^cheap +split +0\.5 +films +films +purchase +20/m);
  expect((await run(['experiments', 'results', 'cheap'])).output).toMatch(/no results yet[^]*^a +0 +0[^]*^Guardrail empty_lists: undecided$/m);
  expect((await run(['experiments', 'delete', 'cheap'])).output).toMatch(/^Deleted: cheap \(split\)/);
});

it('states what is wrong, with the exit code of the cause', async () => {
  const cases: [string, Promise<Ended>, number, RegExp][] = [
    ['an unknown column', run(['rules', 'put', 'r', '--filter', 'item.prise < 3']), exitCodes.input, /no column "item\.prise"\. The nearest column is item\.price/],
    ['a rule of nothing', run(['rules', 'put', 'r']), exitCodes.input, /Neither filter nor boost is given/],
    ['a date that is none', run(['rules', 'put', 'r', '--filter', 'true', '--from', 'tomorrow']), exitCodes.usage, /valid_from/],
    ['no key', run(['rules', 'list'], { key: '' }), exitCodes.usage, /No API key is given\. Set VOUCH_API_KEY/],
    ['a wrong key', run(['rules', 'list'], { key: 'vch_wrong' }), exitCodes.input, /key/],
    ['a URL that is none', run(['rules', 'list'], { url: 'localhost' }), exitCodes.usage, /"localhost" is not an HTTP URL/],
    ['a server that does not answer', run(['rules', 'list'], { url: 'http://127.0.0.1:1' }), exitCodes.failed, /The server at http:\/\/127\.0\.0\.1:1 does not answer: 127\.0\.0\.1:1 has a port that no HTTP request may use .*\. Start it with vouch serve/],
    ['a file that is missing', run(['experiments', 'put', 'e', join(folder, 'none.json')]), exitCodes.input, /none\.json cannot be read \(ENOENT\)/],
    ['a file that is no JSON', run(['experiments', 'put', 'e', '-'], { input: '[1]' }), exitCodes.input, /Standard input is not a JSON object\. vouch experiments put --help/],
    ['a field that is unknown', run(['experiments', 'put', 'e', '-'], { input: '{"arm":1}' }), exitCodes.usage, /arm/],
  ];
  for (const [what, ended, code, sentence] of cases) expect(await ended, what).toMatchObject({ code, errors: expect.stringMatching(sentence) as string });
  expect((await run(['rules', 'list'])).output).toContain('no rules');
});
