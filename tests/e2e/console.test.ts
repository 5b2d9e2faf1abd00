import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { makeFixture } from '../../packages/video/engine/testing/clips/makeFixture.ts';
import { checkPage } from './harness/checkPage.ts';
import { openBrowserForAll, pictures } from './harness/openBrowser.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

const hostile = '<img src=x onerror="document.title=1">';

const opened = await openBrowserForAll();
if (typeof opened === 'string') console.warn(`The tests of the console are skipped: ${opened}`);

describe.skipIf(typeof opened === 'string')('the console', () => {
  const browser = opened as Browser;
  let vouch: RunningVouch;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    vouch = await startVouch();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(240_000);
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => { if (message.type() === 'error' && !/status of 4\d\d|ERR_FAILED/.test(message.text())) faults.push(message.text()); });
  });

  afterAll(async () => {
    await browser.close();
    await vouch.stop();
  });

  const title = (name: string) => page.getByRole('heading', { level: 1, name });

  async function open(path: string, heading: string): Promise<void> {
    await page.goto(`${vouch.url}/console${path}`);
    await title(heading).waitFor();
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
  }

  /** A name with markup, or for pictures a usual one. */
  const unlessPictured = (name: string, pictured: string): string => (pictures === '' ? name : pictured);

  async function sampleClip(): Promise<string> {
    await vouch.run('sample', join(vouch.folder, 'sample'));
    return join(vouch.folder, 'sample', 'clip.mp4');
  }

  const check = (name: string, isPictured = true): Promise<void> => checkPage(page, name, isPictured);

  it('sends its script and its styles compressed, and for good', async () => {
    const html = await (await fetch(`${vouch.url}/console`)).text();
    const files = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path ?? '');
    expect(files.length).toBeGreaterThan(1);
    const answers = await Promise.all(files.map((path) => fetch(vouch.url + path)));
    expect(answers.map(({ status, headers }) => [status, headers.get('content-encoding'), headers.get('vary')])).toEqual(answers.map(() => [200, 'gzip', 'accept-encoding']));
    for (const { headers } of answers) expect(headers.get('cache-control')).toContain('immutable');
  });

  it('takes a browser from / to the sign-in, refuses a wrong key with a reason, and answers a program with an index', async () => {
    expect((await (await fetch(vouch.url)).json() as { console: string }).console).toMatch(/\/console$/);
    await page.goto(vouch.url);
    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('does not know this API key').waitFor();
    await check('sign-in');
  });

  it('leads from an empty installation to the first list with reasons', async () => {
    await page.getByLabel('API key').fill(vouch.key);
    await page.keyboard.press('Enter');
    await title('Overview').waitFor();
    await page.getByRole('button', { name: 'Load the sample films' }).waitFor();
    await check('overview-empty');
    await page.getByRole('button', { name: 'Load the sample films' }).click();
    await page.getByRole('progressbar', { name: 'Training of sample' }).waitFor();
    await page.getByRole('article').getByRole('link', { name: 'sample' }).click();
    await title('Try it').waitFor();
    await page.getByRole('list').locator('.item').first().waitFor();
    await page.getByRole('searchbox', { name: 'Recommend for' }).fill('a');
    await page.locator('.found .choice').first().click();
    await page.locator('.reasons').first().waitFor();
    expect(await page.locator('.item').count()).toBeGreaterThan(5);
    await check('try');
  });

  it('says why a list is empty, and how to get one', async () => {
    await page.getByLabel('Threshold').fill('1');
    await page.getByLabel('Types').fill('nothing');
    await page.getByLabel('Types').press('Enter');
    await page.getByRole('button', { name: 'Ask without the types' }).waitFor();
    await page.goBack();
  });

  it('shows overview, models and data', async () => {
    await open('', 'Overview');
    await page.getByText('version 1').waitFor();
    await check('overview');
    await open('/models', 'Models');
    await check('models');
    await open('/models/sample', 'sample');
    await page.getByRole('region', { name: 'Versions' }).getByRole('rowheader', { name: '1' }).waitFor();
    await check('model');
    await open('/data', 'Data');
    await check('data');
    await open('/videos', 'Videos');
    await check('videos', false);
    await open('/gateway', 'Gateway');
    await page.getByText('No chain is configured').waitFor();
    await check('gateway', false);
  });

  it('says why an item is not in a list, and finds the item at its rank without that cause', async () => {
    await open('/try?model=sample&filter=item.year%20%3E%203000', 'Try it');
    await page.getByText('The filter').first().waitFor();
    await page.getByLabel('Why is an item not in this list?').fill('a');
    await page.getByRole('list', { name: 'Found items' }).getByRole('button').first().click();
    const answer = page.getByRole('status', { name: 'Answer' });
    await answer.getByText('item.year > 3000').first().waitFor();
    await answer.getByText('would be at rank').waitFor();
    await check('why-not');
  });

  it('tries a rule on recorded answers, puts the rule in force, disables and deletes it', async () => {
    await open('/rules', 'Rules');
    await page.getByText('No rules').waitFor();
    await page.getByLabel('Rule', { exact: true }).fill('old');
    await page.getByLabel('Filter').fill('item.yeer < 1950');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').getByText('item.year').first().waitFor();
    await page.getByLabel('Filter').fill('item.year < 1950');
    // Servers store recorded answers a moment after they were sent.
    await expect.poll(async () => {
      await page.getByRole('button', { name: 'Preview' }).click();
      return page.getByRole('status', { name: 'Preview' }).innerText();
    }).toMatch(/Of the latest \d+ answers?, the rule would have changed \d+/);
    await check('rule-preview');
    await page.getByRole('button', { name: 'Put in force' }).click();
    await page.getByRole('row', { name: /old/ }).getByText('in force').waitFor();
    await check('rules');
    await page.getByRole('button', { name: 'Disable old' }).click();
    await page.getByRole('row', { name: /old/ }).getByText('disabled').waitFor();
    await page.getByRole('button', { name: 'Delete old' }).click();
    await page.getByText('No rules').waitFor();
  });

  it('shows an experiment, and what its results say so far', async () => {
    const arms = { a: { model_id: 'sample' }, b: { model_id: 'sample', boost: 'item.year > 1990 ? 1.5 : 1.0' } };
    expect((await vouch.client.send('PUT', '/v1/recommender/experiments/newer', { body: { arms, outcome: ['view'] } })).status).toBe(200);
    await open('/experiments', 'Experiments');
    await page.getByRole('link', { name: 'newer' }).click();
    await title('newer').waitFor();
    await page.getByText('running', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Arms' }).getByText('Arm b').waitFor();
    await page.getByRole('region', { name: 'Definition' }).getByRole('row', { name: 'Arm b sample boost item.year > 1990 ? 1.5 : 1.0 50 %' }).waitFor();
    await page.getByText('Outcomes: view, within 7 days after the first answer.').waitFor();
    await check('experiment');
    await open('/experiments', 'Experiments');
    await check('experiments');
  });

  exhaustiveTest('uploads a video file, continues after a break, and leads to the run; an empty file is refused', async () => {
    await open('/videos', 'Videos');
    await page.setInputFiles('#video-file', { name: 'empty.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(0) });
    await page.getByRole('alert').getByText('The file is empty').waitFor();
    let breaks = 0;
    await page.route('**/v1/uploads/*', (route) => (route.request().method() === 'PATCH' && breaks++ === 0 ? route.abort() : route.continue()));
    const name = unlessPictured(hostile, 'clip');
    await page.setInputFiles('#video-file', { name: `${name}.mp4`, mimeType: 'video/mp4', buffer: await readFile(pictures === '' ? await makeFixture({ seconds: 4, cuts: [2] }) : await sampleClip()) });
    await page.waitForURL(/\/console\/videos\/[0-9a-f-]+$/);
    expect(breaks).toBe(2);
    await title(`${name}.mp4`).waitFor();
    await page.getByText('completed').first().waitFor();
    // Not before: a request that is on its way when routing ends can stay without an answer, and the page then waits for it.
    await page.unroute('**/v1/uploads/*');
    await check('run');
    if (pictures === '') return;
    await open('/videos', 'Videos');
    await page.locator('.poster img').first().waitFor();
    await check('videos');
  });

  it('shows dropped files before their upload, names with markup as text, and the faults of a refused file by row', async () => {
    await open('/data', 'Data');
    const name = unlessPictured(hostile, 'The Lighthouse Keeper');
    await page.setInputFiles('#files', { name: 'bad.csv', mimeType: 'text/csv', buffer: Buffer.from(`id,type,name,metadata,media_url\n,film,"${name.replaceAll('"', '""')}",,\n`) });
    await page.getByRole('cell', { name }).waitFor();
    await page.getByRole('button', { name: 'Upload the file' }).click();
    await page.getByRole('region', { name: 'Faults' }).getByRole('cell', { name: 'id', exact: true }).waitFor();
    await check('data-faults');
  });

  it('makes a key that works, shows the key once, and revokes the key', async () => {
    await open('/keys', 'Keys');
    const name = unlessPictured(hostile, 'Shop server');
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create a key' }).click();
    const made = await page.getByRole('status').locator('code').innerText();
    expect((await vouch.client.withKey(made).trending()).status).not.toBe(401);
    await check('keys');
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    await page.getByRole('button', { name: `Revoke “${name}” now` }).click();
    await page.getByRole('button', { name: 'Show 1 revoked or expired' }).waitFor();
    expect((await vouch.client.withKey(made).trending()).status).toBe(401);
    expect(await page.title()).toBe('Keys · Vouch');
  });

  // The tutorial of the node tests the page of the gateway with transactions; here, the pages are pictured.
  it.runIf(pictures !== '')('shows the transactions of a chain, and a message with its steps', async () => {
    const chained = await startVouch({ arguments: ['--devnet'] });
    try {
      const send = fileURLToPath(new URL('../../examples/gateway/send.ts', import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', send, '--url', chained.url, '--devnet', join(chained.folder, 'devnet.json')]);
      const [, id] = /"request_id": *"(gw_[^"]+)"/.exec(stdout) ?? [];
      const other = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await other.goto((await chained.run('console')).trim());
      await other.getByRole('link', { name: 'Gateway' }).first().click();
      await other.getByRole('region', { name: 'Transactions' }).getByText('confirmed').first().waitFor();
      await checkPage(other, 'gateway');
      await other.goto(`${chained.url}/console/gateway/${id}`);
      await other.getByText('Mined', { exact: true }).first().waitFor();
      await other.getByText(/\(in \d+ (min|h|days)\)/).waitFor();
      await checkPage(other, 'message');
      await other.close();
    } finally {
      await chained.stop();
    }
  });

  it('asks for a sign-in when the session has ended, and continues on the same page', async () => {
    await vouch.database?.query('DELETE FROM sessions');
    await vouch.database?.query(`SELECT pg_notify('vouch_keys', '')`);
    await expect.poll(async () => {
      await page.reload();
      return page.getByLabel('API key').isVisible();
    }).toBe(true);
    const link = (await vouch.run('console')).trim();
    await page.goto('about:blank');
    await page.goto(`${vouch.url}/console/data#${link.split('#')[1]}`);
    await title('Data').waitFor();
    expect(page.url()).toBe(`${vouch.url}/console/data`);
    expect(faults).toEqual([]);
  });
});
