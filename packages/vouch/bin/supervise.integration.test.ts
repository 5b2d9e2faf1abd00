import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Running {
  child: ChildProcess;
  ended: Promise<number | NodeJS.Signals>;
  written(): string;
}

/** A module for `--import` that shortens every timer to a twentieth of its delay. */
const hurry = `data:text/javascript,${encodeURIComponent('const wait = setTimeout; globalThis.setTimeout = (run, milliseconds) => wait(run, milliseconds / 20);')}`;

/** Runs the supervisor of a checkout with `program` in place of `run.js`. The program counts its starts in the file `starts`. */
async function supervise(program: string, words = ['serve'], options: readonly string[] = []): Promise<Running & { folder: string; starts(): Promise<number>; crashes(): Promise<Record<string, unknown>[]> }> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-supervise-'));
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['vouch.js', 'supervise.js', 'crashRecord.js']) await cp(fileURLToPath(new URL(name, import.meta.url)), join(folder, name));
  await writeFile(join(folder, 'run.js'), `import { appendFileSync, readFileSync } from 'node:fs';
    appendFileSync(${JSON.stringify(join(folder, 'starts'))}, '.');
    const start = readFileSync(${JSON.stringify(join(folder, 'starts'))}).length;
    const heard = new Promise((resolve) => process.once('message', resolve));
    const stay = () => setInterval(() => {}, 1_000);
    const serving = () => new Promise((done) => process.send({ data: ${JSON.stringify(join(folder, 'data'))}, serving: true }, done));
    ${program}`);
  const child = spawn(process.execPath, [...options, join(folder, 'vouch.js'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  closers.push(async () => child.kill('SIGKILL'));
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (written += text));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  const crashes = async (): Promise<Record<string, unknown>[]> => {
    const names = await readdir(join(folder, 'data/crashes')).catch(() => []);
    return Promise.all(names.toSorted().map(async (name) => JSON.parse(await readFile(join(folder, 'data/crashes', name), 'utf8')) as Record<string, unknown>));
  };
  return { child, ended, written: () => written, folder, starts: async () => (await readFile(join(folder, 'starts'), 'utf8')).length, crashes };
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((done) => setTimeout(done, 20));
};

describe('a service that is refused at its first start', () => {
  it.each(sampleOf([1, 3], 1))('ends at once with its exit code %i, and is no crash', async (code) => {
    const { ended, starts, crashes, written } = await supervise(`console.error('the port is taken'); process.exit(${code});`);
    expect(await ended).toBe(code);
    expect([await starts(), await crashes(), written()]).toEqual([1, [], 'the port is taken\n']);
  });

  it('and one that ends by itself with 0, or answers a question, is not started again', async () => {
    const served = await supervise('await serving(); process.exit(0);');
    expect([await served.ended, await served.starts()]).toEqual([0, 1]);
    const help = await supervise('console.log(process.argv.slice(2).join(), process.send === undefined);', ['serve', '--help']);
    expect([await help.ended, help.written()]).toEqual([0, 'serve,--help true\n']);
  });
});

describe('a service that crashes', () => {
  it.each(sampleOf(['SIGKILL', 'SIGSEGV', 'SIGABRT'], 1))('by %s is started again, hears why, and the crash is written down', async (signal) => {
    const { ended, starts, crashes, written } = await supervise(`await serving();
      if (start === 1) process.kill(process.pid, '${signal}');
      else { const { crashes, lastCrash } = await heard; console.log('again', crashes, lastCrash.ended); process.exit(0); }`);
    expect(await ended).toBe(0);
    expect(await starts()).toBe(2);
    expect(written()).toContain(`again 1 ${signal}\n`);
    expect(written()).toMatch(new RegExp(`vouch: serve \\(process \\d+\\) ended unexpectedly by ${signal} after \\d+ s; restarting in 1 s`));
    expect(await crashes()).toEqual([expect.objectContaining({ command: 'serve', ended: signal, error: null })]);
  });

  it('by an error is started again, and the error is written down', async () => {
    const { ended, crashes } = await supervise(`await serving();
      if (start === 2) process.exit(0);
      process.send({ error: 'Error: planted\\n    at here' }, () => process.exit(1));`, ['worker']);
    expect(await ended).toBe(0);
    expect(await crashes()).toEqual([expect.objectContaining({ command: 'worker', ended: 'exit code 1', error: 'Error: planted\n    at here' })]);
  });

  exhaustiveTest('waits twice as long each time, and ends as a failure once it has not come to work five times in a row', async () => {
    const { ended, starts, written, crashes } = await supervise("if (start === 1) { await serving(); } process.kill(process.pid, 'SIGKILL'); stay();", ['serve'], ['--import', hurry]);
    expect(await ended).toBe(1);
    expect(await starts()).toBe(6);
    expect([...written().matchAll(/restarting in (\d+) s/g)].map(([, seconds]) => Number(seconds))).toEqual([1, 2, 4, 8, 16]);
    expect(written()).toContain('for the 5th time in a row during startup; the server is not started again');
    expect(await crashes()).toHaveLength(6);
  });

  it('keeps the latest fifty of its crashes', async () => {
    const { recordCrash } = await import(new URL('./crashRecord.js', import.meta.url).href) as { recordCrash(data: string, crash: { at: string; process: number }): void };
    const folder = await mkdtemp(join(tmpdir(), 'vouch-crashes-'));
    closers.push(() => rm(folder, { recursive: true }));
    for (let second = 0; second < 60; second += 1) recordCrash(folder, { at: new Date(second * 1_000).toISOString(), process: 7 });
    const names = await readdir(join(folder, 'crashes'));
    expect([names.length, names.toSorted()[0]]).toEqual([50, '1970-01-01T00-00-10.000Z.7.json']);
  });
});

describe('a signal to stop', () => {
  const counts = "let stops = 0; process.on('message', (m) => { if (m.stops) { stops = m.stops; console.log('stops', stops, m.signal); if (stops === 2) process.exit(4); } }); await serving(); console.log('up'); stay();";

  it('is passed on, as often as it comes, and the exit code is the service\'s', async () => {
    const { child, ended, written } = await supervise(counts);
    await until(() => written().includes('up'));
    for (const [signal, stops] of [['SIGTERM', 1], ['SIGINT', 2]] as const) {
      child.kill(signal);
      await until(() => written().includes(`stops ${stops}`));
    }
    expect(await ended).toBe(4);
  });

  it('counts once if it comes twice within a moment, as from timeout(1)', async () => {
    const { child, ended, written } = await supervise(counts, ['serve'], ['--import', 'data:text/javascript,performance.now = () => 0;']);
    await until(() => written().includes('up'));
    child.kill('SIGTERM');
    await until(() => written().includes('stops 1'));
    child.kill('SIGTERM');
    child.kill('SIGINT');
    expect(await ended).toBe(4);
    expect(written().match(/stops .*/g)).toEqual(['stops 1 SIGTERM', 'stops 2 SIGINT']);
  });

  exhaustiveTest('before it serves ends it as that signal does, and while it waits for a restart at once', async () => {
    const starting = await supervise("console.log('starting'); stay();");
    await until(() => starting.written().includes('starting'));
    starting.child.kill('SIGTERM');
    expect(await starting.ended).toBe('SIGTERM');
    const waiting = await supervise("await serving(); process.kill(process.pid, 'SIGKILL');");
    await until(() => /restarting in 2 s/.test(waiting.written()));
    waiting.child.kill('SIGTERM');
    expect([await waiting.ended, await waiting.starts()]).toEqual([0, 2]);
  });
});
