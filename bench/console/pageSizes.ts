// Measures what a browser transfers for the first view of the pages, beside the files that dashboards from npm and PyPI load at first.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../tests/e2e/harness/openBrowser.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';

const run = promisify(execFile);

/** Bytes as transferred, compressed. */
interface Size {
  script: number;
  style: number;
  total: number;
  requests: number;
}

async function measurePage(browser: Browser, { url, key }: ServedVouch, path: string): Promise<Size> {
  const context = await browser.newContext();
  try {
    await context.request.post(`${url}/console/session`, { data: { key }, headers: { 'sec-fetch-site': 'same-origin' } });
    const page = await context.newPage();
    const answers: Promise<{ kind: string; bytes: number }>[] = [];
    page.on('requestfinished', (request) => answers.push(request.sizes().then(({ responseBodySize: body, responseHeadersSize: head }) => ({ kind: request.resourceType(), bytes: body + head }))));
    await page.goto(url + path, { waitUntil: 'networkidle' });
    const all = await Promise.all(answers);
    const of = (kind?: string): number => all.filter((each) => kind === undefined || each.kind === kind).reduce((sum, { bytes }) => sum + bytes, 0);
    return { script: of('script'), style: of('stylesheet'), total: of(), requests: all.length };
  } finally {
    await context.close();
  }
}

/** The files that the first page of Bull Board, a dashboard of job queues, names: without fonts, pictures, data and what its scripts load later. */
async function measureBullBoard(folder: string): Promise<Size> {
  await run('npm', ['pack', '--silent', '@bull-board/ui@9.10.2'], { cwd: folder });
  await run('tar', ['xzf', 'bull-board-ui-9.10.2.tgz'], { cwd: folder });
  const dist = join(folder, 'package', 'dist');
  const index = await readFile(join(dist, 'index.ejs'), 'utf8');
  const sizeOf = async (names: readonly string[]): Promise<number> => (await Promise.all(names.map(async (name) => gzipSync(await readFile(join(dist, name))).length))).reduce((sum, size) => sum + size, 0);
  const scripts = [...index.matchAll(/src="(static\/[^"]+\.js)"/g)].map(([, name = '']) => name);
  const styles = [...index.matchAll(/href="(static\/[^"]+\.css)"/g)].map(([, name = '']) => name);
  const [script, style] = await Promise.all([sizeOf(scripts), sizeOf(styles)]);
  return { script, style, total: script + style + gzipSync(index).length, requests: 1 + scripts.length + styles.length };
}

/** The script of Optuna Dashboard, a dashboard of experiments, which the package has compressed. Styles are in the script. */
async function measureOptuna(folder: string): Promise<Size> {
  await run('pip', ['download', '--quiet', '--no-deps', '--disable-pip-version-check', '--dest', folder, 'optuna-dashboard==0.21.0']);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '';
  const list = await run('python3', ['-c', 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).getinfo("optuna_dashboard/public/bundle.js.gz").file_size)', join(folder, wheel)]);
  const script = Number(list.stdout);
  return { script, style: 0, total: script, requests: 2 };
}

const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(1);
const folder = await mkdtemp(join(tmpdir(), 'vouch-page-sizes-'));
const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
const vouch = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0' } });
try {
  const rows: (string | number)[][] = [];
  const add = (page: string, { script, style, total, requests }: Size): void => { rows.push([page, kilobytes(script), kilobytes(style), kilobytes(total), requests]); };
  for (const path of ['/console', '/docs', '/docs/guides/recommendations', '/docs/api']) add(`Vouch ${path}`, await measurePage(browser, vouch, path));
  for (const [name, measure] of [['Bull Board 9.10.2', measureBullBoard], ['Optuna Dashboard 0.21.0', measureOptuna]] as const) {
    const size = await measure(folder).catch((error: unknown) => String(error).split('\n', 1)[0] ?? '');
    if (typeof size === 'string') console.error(`${name} is left out: ${size}`);
    else add(name, size);
  }
  await reportTable({
    name: 'page-sizes',
    title: 'Size of the first view of each page',
    command: 'node --import tsx bench/console/pageSizes.ts',
    data: 'an empty installation; the published packages of the other dashboards',
    columns: ['page', 'script, kB', 'style, kB', 'total, kB', 'requests'],
    rows,
    notes: [
      'Compressed, as a browser receives the page with an empty cache; for Vouch measured in the browser, signed in, with the data of the page and the headers of the answers; 1 kB is 1,000 bytes. `/docs/api` is Swagger UI; before its files and the pages of the documentation were compressed, `/docs/api` took 2,616 kB, `/docs/guides/recommendations` 53 kB and `/docs` 14 kB.',
      'For the other dashboards, which no server runs here, the files that the first page names, compressed by gzip, without their data, fonts and what their scripts load later: their real pages are larger.',
      'The dashboards of Gorse and Grafana, to which people would compare the console first, come as container images and release archives only. Neither npm, PyPI nor Debian has their built pages, so they are missing here.',
    ],
  });
} finally {
  await vouch.stop();
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
