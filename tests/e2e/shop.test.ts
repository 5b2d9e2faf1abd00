import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { findAxeFaults, openBrowserForAll, pictures } from './harness/openBrowser.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tsx = ['--import', 'tsx'];
const execute = promisify(execFile);

let vouch: RunningVouch;
let shop: ChildProcess | null = null;

beforeAll(async () => {
  vouch = await startVouch();
});

afterAll(async () => {
  shop?.kill('SIGTERM');
  await vouch.stop();
});

exhaustiveTest('the requests of the shop work with curl: trending items, a session, reasons, stock, an experiment', async () => {
  const folder = join(vouch.folder, 'shop-data');
  await execute(process.execPath, [...tsx, 'examples/shop/writeCsv.ts', folder], { cwd: root });
  const { stdout } = await execute('bash', ['examples/shop/shop.sh', folder], { cwd: root, env: { ...process.env, URL: vouch.url, KEY: vouch.key } });
  expect(stdout).toMatch(/Trending now/);
  expect(stdout).toMatch(/Because you chose “Ember boots”/);
  expect(stdout).toMatch(/"code":"unavailable"/);
  expect(stdout.match(/"accepted":1/g)).toHaveLength(3);
  expect(stdout).toMatch(/"experiment":\{"id":"cheap-first","arm":"[ab]"\}/);
  expect(stdout).toMatch(/"verdict":\{"code":"running"/);
});

/** Starts the shop against the server, whose model the script has trained. @returns its URL */
async function openShop(): Promise<string> {
  const child = spawn(process.execPath, [...tsx, 'examples/shop/run.ts', '--url', vouch.url, '--port', '0'], { cwd: root, env: { ...process.env, KEY: vouch.key }, stdio: ['ignore', 'pipe', 'inherit'] });
  shop = child;
  let output = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString();
      const url = /open: (\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`the shop ended: ${output}`)));
  });
}

const opened = await openBrowserForAll();
if (typeof opened === 'string') console.warn(`The walk through the shop is skipped: ${opened}`);

describe.skipIf(typeof opened === 'string')('the shop in a browser', () => {
  const browser = opened as Browser;
  afterAll(() => browser.close());

  async function check(page: Page, name: string): Promise<void> {
    expect(await findAxeFaults(page), name).toEqual([]);
    if (pictures === '') return;
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `shop-${name}.png`), fullPage: true });
  }

  it('leads a new visitor from trending products to a list for the session, without rejected products and products not in stock', async () => {
    const url = await openShop();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(240_000);
    const list = (name: string) => page.getByRole('region', { name });
    const names = (name: string) => list(name).locator('li a').allInnerTexts();

    await page.goto(url);
    expect(await names('Trending')).toHaveLength(6);
    await list('Trending').getByText('Trending now').first().waitFor();
    await check(page, 'trending');

    await page.locator('section').last().getByRole('link', { name: 'Ember boots' }).click();
    await list('Related products').getByText('Ember boots').first().waitFor();
    expect(await page.locator('img').first().evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBeGreaterThan(0);
    await check(page, 'product');

    await page.getByRole('link', { name: 'Back to the shop' }).click();
    await list('For you').getByText('Because you chose “Ember boots”').first().waitFor();
    await check(page, 'for-you');

    const [rejected = '', soldOut = ''] = await names('For you');
    await list('For you').getByRole('link', { name: rejected }).click();
    await page.getByRole('button', { name: 'Not for me' }).click();
    expect(await names('For you')).not.toContain(rejected);

    await page.locator('section').last().getByRole('link', { name: soldOut }).click();
    await page.getByRole('button', { name: 'Not in stock' }).click();
    await page.getByRole('button', { name: 'Back in stock' }).waitFor();
    await page.getByRole('link', { name: 'Back to the shop' }).click();
    expect(await names('For you')).not.toContain(soldOut);

    const { rows } = await vouch.database?.query<{ type: string }>(`SELECT type FROM events WHERE source_id LIKE 'visitor-%' AND source_id <> 'visitor-curl' ORDER BY sequence`) ?? { rows: [] };
    expect(rows.map(({ type }) => type)).toEqual(['view', 'view', 'dislike', 'view']);
  });
});
