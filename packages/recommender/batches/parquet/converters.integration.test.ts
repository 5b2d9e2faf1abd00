import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { systemInterfaces, type Timers } from '@vouch/platform/process/systemInterfaces';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { ConversionResult } from './convertFile.messages.ts';
import { Converters, smallBytes, type ConversionInput } from './converters.ts';

const header = 'id,type,name,metadata,media_url\n';
const small = `${header}a,film,,,\n`;
const interactions = 'type,source_id,target_id,timestamp,metadata\n';

let folder = '';
let files = 0;
let converters: Converters;
let idled: (() => void)[] = [];
/** Timers whose waits for the next file end when the test calls `idled`. */
const timers: Timers = {
  ...systemInterfaces.timers,
  sleep: (milliseconds, signal, holding) => (
    milliseconds === 10_000 ? new Promise((resolve) => idled.push(resolve)) : systemInterfaces.timers.sleep(milliseconds, signal, holding)),
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-convert-'));
  idled = [];
  converters = new Converters(timers);
});
afterEach(async () => {
  await converters.close();
  await rm(folder, { recursive: true, force: true });
});

/** Parquet file of the last conversion. */
let parquetPath = '';

async function convert(content: string | Uint8Array | null, { owner = 'acme', ...rest }: Partial<ConversionInput> = {}): Promise<ConversionResult> {
  const own = join(folder, String(++files));
  await mkdir(own);
  const contentPath = rest.contentPath ?? join(own, 'sent');
  if (content !== null) await writeFile(contentPath, content);
  parquetPath = join(own, 'parquet');
  const contentBytes = content === null ? 0 : (await stat(contentPath)).size;
  const signal = new AbortController().signal;
  return converters.convert({ owner, contentPath, contentBytes, fileName: 'a.csv', folder: own, parquetPath, maxBytes: 1e7, maxRows: 1e6, signal, ...rest });
}

/** Creates a pipe that holds the conversion that reads from the pipe, until the pipe is opened for writing and closed. */
function pipeInFolder(): string {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

/** Process ids of the children of this process that read files. */
async function children(): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [command, state] = await Promise.all(['cmdline', 'stat'].map((file) => readFile(join('/proc', name, file), 'utf8').catch(() => '')));
    const parent = Number(state?.slice(state.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent === process.pid && command?.includes('convertFile.child') && !command.includes('/bin/sh')) found.push(Number(name));
  }
  return found;
}

const converted = { outcome: 'converted' };

describe('the reader of an uploaded file', () => {
  it('sees everything that was sent, and leaves the Parquet file alone in its folder', async () => {
    expect(await convert(small)).toEqual({ outcome: 'converted', kind: 'entity', rows: 1, bytes: small.length });
    expect((await readdir(join(folder, String(files)))).filter((name) => name !== 'spill').toSorted()).toEqual(['parquet', 'sent']);
  });

  it('names the faults of a file that goes on behind them', async () => {
    const result = await convert(header + 'x,y\n'.repeat(1_600_000));
    expect(result.outcome === 'faults' && result.faults.length).toBe(100);
  });
});

describe.skipIf(process.platform !== 'linux')('the child of a conversion', () => {
  it('reads the next small files of the same organization, which give the same bytes as in a child of their own', async () => {
    const rows = header + Array.from({ length: 50_000 }, (_, row) => `i${row},film,"Name ""${row}""",,\n`).join('');
    expect(await convert(rows)).toMatchObject(converted);
    const [parquet, first] = [await readFile(parquetPath), await children()];
    expect(first.length).toBe(1);
    for (const hostile of [
      header + 'x,y\n'.repeat(1_000), '\0\uffff', `${header}"unclosed`, `${header}a,film,,"{""a"":",\n`, Buffer.from(header, 'utf16le'),
      gzipSync(small).subarray(0, 25), Buffer.concat([gzipSync(rows), Buffer.from('rest')]), `${interactions}view,\ud800,b,99999999999999999999,\n`,
    ]) expect((await convert(hostile)).outcome).toBe('faults');
    expect(await convert(`${interactions}view,u,"a\x1f\x1e",1717158600,\n`)).toMatchObject({ kind: 'interaction', rows: 1 });
    expect(await convert(rows)).toMatchObject(converted);
    expect(await children()).toEqual(first);
    expect((await readFile(parquetPath)).equals(parquet)).toBe(true);
  });

  exhaustiveTest('reads no file of another organization, no large file and no 33rd file', async () => {
    await convert(small);
    const first = await children();
    await convert(small, { owner: 'other' });
    await expect.poll(children).toHaveLength(1);
    const second = await children();
    expect(second).not.toEqual(first);
    await convert(small, { owner: 'other', contentBytes: smallBytes + 1 });
    expect(await children()).toEqual(second);
    await convert(small);
    await expect.poll(children).toHaveLength(1);
    const third = await children();
    for (let file = 2; file < 32; file += 1) await convert(small);
    expect(await children()).toEqual(third);
    await convert(small);
    expect(await children()).toEqual([]);
  });

  exhaustiveTest('ends after a file over a limit, when no file comes, and when the server closes', async () => {
    expect((await convert(small, { maxRows: 0 })).outcome).toBe('too-large');
    expect(await children()).toEqual([]);
    await convert(small);
    expect((await children()).length).toBe(1);
    for (const done of idled) done();
    await expect.poll(children).toEqual([]);
    await convert(small);
    await converters.close();
    expect(await children()).toEqual([]);
    await convert(small);
    expect(await children()).toEqual([]);
  });

  it('that is killed is an error with a sentence, not a result, and the next file has a new child', async () => {
    const contentPath = pipeInFolder();
    const conversion = convert(null, { contentPath });
    conversion.catch(() => {});
    const [reader] = await expect.poll(children).toHaveLength(1).then(children);
    process.kill(reader!, 'SIGKILL');
    await expect(conversion).rejects.toThrow(ChildFailed);
    await expect(conversion).rejects.toThrow('the reader of the uploaded file was ended by SIGKILL');
    expect(await convert(small)).toMatchObject(converted);
  });

  exhaustiveTest('that is killed while it waits for a file is replaced', async () => {
    await convert(small);
    const [waiting] = await children();
    process.kill(waiting!, 'SIGKILL');
    await expect.poll(children).toEqual([]);
    await expect.poll(async () => (await convert(small).catch(() => null))?.outcome).toBe('converted');
  });

  it('ends with an abort, also one that has read files before, and before the conversion has settled', async () => {
    await convert(small);
    const gone = new AbortController();
    const contentPath = pipeInFolder();
    const conversion = convert(null, { contentPath, signal: gone.signal });
    conversion.catch(() => {});
    // Opens when the child has opened the pipe to read.
    const writer = createWriteStream(contentPath);
    await new Promise((resolve) => writer.once('open', resolve));
    writer.on('error', () => {});
    gone.abort(new Error('gone'));
    await expect(conversion).rejects.toThrow('the reader of the uploaded file was cancelled');
    expect(await children()).toEqual([]);
    writer.destroy();
    await expect(convert(small, { signal: AbortSignal.abort() })).rejects.toThrow('was cancelled');
    expect(await children()).toEqual([]);
  });

  it('ends after an error, whose message is in the sentence', async () => {
    await expect(convert(null, { contentPath: join(folder, 'no such file') })).rejects.toThrow(/ended with code 1: Error: ENOENT/);
    expect(await children()).toEqual([]);
  });
});
