/**
 * What a newcomer does from a clone to the first recommendations, the first preview and the first confirmed message: commands, clicks and seconds; and the size of the first page.
 * @example node --import tsx bench/console/newcomer.ts
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../tests/e2e/harness/openBrowser.ts';
import { reportTable } from '../harness/reportTable.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'vouch-newcomer-'));
const clone = join(folder, 'vouch');
const port = await freePort();
const lasting: ChildProcess[] = [];

interface Walk {
  goal: string;
  commands: string[];
  clicks: number;
  seconds: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  return free;
}

/** Runs a command to its end. @returns seconds */
async function run(command: string, cwd: string): Promise<number> {
  const start = performance.now();
  const child = spawn('bash', ['-c', command], { cwd, env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit') as [number];
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return (performance.now() - start) / 1_000;
}

/** Runs a command on a terminal until its output matches. @returns the match and the seconds until then */
async function keep(command: string, ready: RegExp): Promise<{ match: RegExpExecArray; seconds: number }> {
  const start = performance.now();
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd: clone, env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  lasting.push(child);
  let output = '';
  for await (const piece of child.stdout) {
    output += String(piece);
    const match = ready.exec(output);
    if (match === null) continue;
    child.stdout.resume();
    return { match, seconds: (performance.now() - start) / 1_000 };
  }
  throw new Error(`${command} ended:\n${output}`);
}

class Newcomer {
  clicks = 0;
  readonly #page: Page;
  constructor(page: Page) { this.#page = page; }
  async click(role: 'link' | 'button', name: string): Promise<void> {
    await this.#page.getByRole(role, { name, exact: true }).first().click();
    this.clicks += 1;
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
try {
  const cloned = await run(`git clone --quiet "${checkout}" vouch`, folder);
  const installed = await run('npm ci --no-fund --no-audit --loglevel=error', clone);
  // The first color codes and the end of a line are not part of the link.
  const { match, seconds: started } = await keep('npm start', /(http:\/\/\S+#sign-in=[\w-]+)/);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(300_000);
  const person = new Newcomer(page);
  const walks: Walk[] = [];

  let size = { bytes: 0, requests: 0, interactive: 0 };
  const toList = await seconds(async () => {
    await page.goto(match[1]!);
    person.clicks += 1;
    await page.getByRole('button', { name: 'Load the sample films' }).waitFor();
    // As text, because Node's types have no entries of navigations.
    size = await page.evaluate<typeof size>(`(() => {
      const [navigation] = performance.getEntriesByType('navigation');
      const files = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'));
      return { bytes: navigation.transferSize + files.reduce((sum, { transferSize }) => sum + transferSize, 0), requests: 1 + files.length, interactive: navigation.domInteractive };
    })()`);
    await person.click('button', 'Load the sample films');
    await person.click('link', 'sample');
    const tried = page.getByRole('link', { name: 'Try it', exact: true }).last();
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (await page.getByRole('heading', { level: 1, name: 'Try it' }).count() === 0) {
      await page.getByRole('region', { name: 'Metrics' }).waitFor();
      await tried.click();
      person.clicks += 1;
    }
    await page.locator('.item').first().waitFor();
  });
  walks.push({ goal: 'I see recommendations', commands: ['git clone', 'npm ci', 'npm start'], clicks: person.clicks, seconds: cloned + installed + started + toList });

  const sampled = await run('npx vouch sample sample', clone);
  person.clicks = 0;
  const toPreview = await seconds(async () => {
    await person.click('link', 'Videos');
    await page.setInputFiles('#video-file', join(clone, 'sample', 'clip.mp4'));
    // The button, and the file in the dialog of the system.
    person.clicks += 2;
    await page.locator('video').waitFor();
  });
  walks.push({ goal: 'I see a preview', commands: ['npx vouch sample sample'], clicks: person.clicks, seconds: sampled + toPreview });

  person.clicks = 0;
  const toMessage = await seconds(async () => {
    await keep('dist/verifier/verifier -conf data/verifier.yaml', /The node is in the active set/);
    await person.click('link', 'Gateway');
    await page.getByRole('region', { name: 'Transactions' }).getByText('confirmed').first().waitFor();
  });
  walks.push({ goal: 'I see my message confirmed', commands: ['dist/verifier/verifier -conf data/verifier.yaml'], clicks: person.clicks, seconds: toMessage });

  await reportTable({
    name: 'newcomer',
    title: 'From a clone to the first results',
    command: 'node --import tsx bench/console/newcomer.ts',
    data: 'the sample films and the sample video of `vouch sample`; a clone of this checkout',
    columns: ['goal', 'commands', 'clicks', 'seconds'],
    rows: walks.map(({ goal, commands, clicks, seconds: spent }) => [goal, commands.map((command) => `\`${command}\``).join(', '), clicks, Math.round(spent)]),
    notes: [
      `The first row: clone ${Math.round(cloned)} s, installation ${Math.round(installed)} s, start with the build ${Math.round(started)} s, then ${Math.round(toList)} s in the browser, training included. The second and third row continue the first. Seconds are those of the machine; a person reads and types besides.`,
      `The first page of the console: ${Math.round(size.bytes / 1_000)} kB in ${size.requests} requests, interactive after ${Math.round(size.interactive)} ms, on the same machine.`,
    ],
  });
} finally {
  await browser.close();
  for (const child of lasting.toReversed()) {
    if (child.exitCode !== null) continue;
    process.kill(-child.pid!, 'SIGTERM');
    await once(child, 'exit');
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
