import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { chromium, type Browser, type Page } from 'playwright-core';

/** A folder in which tests write a picture of each page; empty for none. */
export const pictures = process.env['VOUCH_TEST_SCREENSHOTS'] ?? '';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Arguments of the browser from npm that people's browsers do not have: without the same-origin policy, tests of CORS could not fail. */
const unwanted: ReadonlySet<string> = new Set(['--single-process', '--disable-web-security', '--disable-site-isolation-trials', '--allow-running-insecure-content']);

/**
 * Starts a browser: the one of VOUCH_TEST_CHROMIUM, or on Linux x64 the one from npm, which unpacks into the temporary folder.
 * @returns the browser, or the reason why there is none
 */
export async function openBrowser(): Promise<Browser | string> {
  const given = process.env['VOUCH_TEST_CHROMIUM'];
  try {
    if (given !== undefined && given !== '') return await chromium.launch({ executablePath: given });
    if (process.platform !== 'linux' || process.arch !== 'x64') return `the browser from npm runs on Linux x64 only; set VOUCH_TEST_CHROMIUM (here: ${process.platform} ${process.arch})`;
    const { default: packed } = await import('@sparticuz/chromium');
    packed.setGraphicsMode = false;
    const executablePath = await packed.executablePath();
    if (!existsSync(executablePath)) return `the browser from npm was not unpacked to ${executablePath}`;
    return await chromium.launch({ executablePath, args: packed.args.filter((argument) => !unwanted.has(argument)), timeout: 240_000 });
  } catch (error) {
    return `the browser does not start here; set VOUCH_TEST_CHROMIUM: ${(error as Error).message.split('\n', 1)[0]}`;
  }
}

/** Starts a browser for tests that a sample leaves out, unless pictures are wanted. */
export async function openBrowserForAll(): Promise<Browser | string> {
  return exhaustive || pictures !== '' ? openBrowser() : 'only VOUCH_TEST_EXHAUSTIVE=yes runs these tests';
}

/** Returns the accessibility faults of a page (WCAG 2.2 A and AA) as `rule: place`. */
export async function findAxeFaults(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the content security policy of the console refuses added script elements.
  await page.evaluate(await readFile(axePath, 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> } };
    const { violations } = await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}
