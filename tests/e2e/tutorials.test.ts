import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, type ExpectStatic } from 'vitest';
import { triedTutorials } from './harness/commandBlocks.ts';
import { findAxeFaults, openBrowser } from './harness/openBrowser.ts';
import { openReaderShell, type ReaderShell } from './harness/readerShell.ts';

type Tutorial = (typeof triedTutorials)[number];

/** A folder in which the test writes the pictures of the tutorials; empty for none. */
const pictures = process.env['VOUCH_TEST_SCREENSHOTS'] ?? '';

const opened = await openBrowser();
if (typeof opened === 'string') console.warn(`What the tutorials show in a browser is not looked at: ${opened}`);
afterAll(async () => { if (typeof opened !== 'string') await opened.close(); });

/** Output that the commands of a tutorial must contain, in addition to exit code 0. */
const results: Readonly<Record<Tutorial, readonly RegExp[]>> = {
  'docs/tutorials/shop.md': [/"status":"completed"/, /"target_id":"f0002","rank":1/, /"text":"Because you chose “/],
  'docs/tutorials/video.md': [/"status":"completed"/],
  'docs/tutorials/node.md': [/^0x[0-9a-fA-F]{40}$/m, /The configuration is valid/, /"status":"confirmed","purpose":"operations"/, /"kind":"enter","messages":1/, /forged +malicious/],
};

/** What the reader sees in the end. `expect` is that of the running test, because the tutorials run at the same time. */
const looks: Readonly<Record<Tutorial, (page: Page, shell: ReaderShell, expect: ExpectStatic) => Promise<void>>> = {
  async 'docs/tutorials/shop.md'(page, shell, expect) {
    await page.goto(shell.urlOf(9000));
    await page.getByText('Popular now').waitFor();
    const films = page.getByRole('list').getByRole('button');
    await films.first().waitFor();
    expect(await films.count()).toBe(6);
    for (const chosen of [1, 2]) {
      const [first = ''] = await films.allInnerTexts();
      const stored = page.waitForResponse((answer) => answer.url().endsWith('/interactions') && answer.request().method() === 'POST');
      await films.first().click();
      expect(await (await stored).json()).toEqual({ accepted: 1, duplicates: 0 });
      await page.locator('#why').getByText(first).waitFor();
      // A chosen film is not recommended again, so its disappearance shows the new list.
      await expect.poll(() => films.allInnerTexts(), { message: `after ${chosen} clicks` }).not.toContain(first);
      expect(await films.count()).toBe(6);
    }
  },
  async 'docs/tutorials/video.md'(page, shell, expect) {
    await page.goto(shell.urlOf(9000));
    const segments = page.getByRole('list').getByRole('button');
    await segments.nth(1).waitFor();
    expect(await segments.first().innerText()).toMatch(/^[\d.]+ to [\d.]+ s: \w+.*%/);
    await segments.nth(1).click();
    await expect.poll(() => page.locator('video').evaluate((video) => (video as unknown as { currentTime: number }).currentTime)).toBeGreaterThan(1);
    expect(await page.locator('video').evaluate((video) => Math.round((video as unknown as { duration: number }).duration))).toBe(15);
    expect((await stat(join(shell.folder, 'page', 'poster.jpg'))).size).toBeGreaterThan(1_000);
  },
  async 'docs/tutorials/node.md'(page, shell) {
    await page.goto((await shell.run('vouch console')).trim());
    await page.getByRole('link', { name: 'Gateway' }).first().click();
    await page.getByRole('region', { name: 'Transactions' }).getByText('confirmed').first().waitFor();
    await page.getByText('Gas saved').waitFor();
  },
};

describe.concurrent('the tutorial', () => {
  exhaustiveTest.for(triedTutorials)('%s succeeds as pasted into an empty directory, and shows its result in a browser', { timeout: 600_000 }, async (tutorial, { expect }) => {
    const shell = await openReaderShell();
    try {
      const output = await shell.runDocument(tutorial);
      for (const result of results[tutorial]) expect(output).toMatch(result);
      if (typeof opened === 'string') return;
      const page = await (opened satisfies Browser).newPage({ viewport: { width: 760, height: 560 } });
      page.setDefaultTimeout(60_000);
      await looks[tutorial](page, shell, expect);
      expect(await findAxeFaults(page)).toEqual([]);
      if (pictures !== '') {
        await mkdir(pictures, { recursive: true });
        await page.screenshot({ path: join(pictures, `tutorial-${/(\w+)\.md$/.exec(tutorial)?.[1]}.png`) });
      }
      await page.close();
    } finally {
      await shell.close();
    }
  });
});
