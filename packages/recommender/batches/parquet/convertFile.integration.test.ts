import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { convertFile, type ConversionInput } from './convertFile.ts';

const header = 'id,type,name,metadata,media_url\n';

let folder = '';
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'vouch-convert-')); });
afterEach(() => rm(folder, { recursive: true, force: true }));

function convert(content: Readable, rest: Partial<ConversionInput> = {}) {
  return convertFile({
    fileName: 'a.csv', folder, parquetPath: join(folder, 'parquet'), maxBytes: 1e7, maxRows: 1e6,
    content, signal: new AbortController().signal, ...rest,
  }, systemInterfaces);
}

/** Process id of the running reader with open files in this test's folder. */
async function readerOf(openFolder: string): Promise<number | null> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const command = await readFile(join('/proc', name, 'cmdline'), 'utf8').catch(() => '');
    if (!command.includes('convertFile.child') || command.includes('/bin/sh')) continue;
    const files = await readdir(join('/proc', name, 'fd')).catch(() => []);
    for (const file of files) {
      const target = await readlink(join('/proc', name, 'fd', file)).catch(() => '');
      if (target.startsWith(openFolder)) return Number(name);
    }
  }
  return null;
}

describe('the reader of an uploaded file', () => {
  it('sees everything that was sent, and leaves the Parquet file alone in its folder', async () => {
    const chunks = [header, 'a,film', ',,,\n'].map((text) => Buffer.from(text));
    const result = await convert(Readable.from(chunks));
    expect(result).toEqual({ outcome: 'converted', kind: 'entity', rows: 1, bytes: header.length + 10 });
    expect((await readdir(folder)).filter((name) => name !== 'spill')).toEqual(['parquet']);
  });

  it('writes the same bytes for the same rows', async () => {
    const content = header + Array.from({ length: 200_000 }, (_, row) => `i${row},film,"Name ""${row}""",,\n`).join('');
    const parquet = [];
    for (const name of ['one', 'two']) {
      await convert(Readable.from([Buffer.from(content)]), { parquetPath: join(folder, name) });
      parquet.push(await readFile(join(folder, name)));
      await rm(join(folder, 'spill'), { recursive: true });
    }
    expect(parquet[0]?.equals(parquet[1] as Buffer)).toBe(true);
  });

  it('names the faults of a file that goes on behind them', async () => {
    const rest = Buffer.alloc(65_536, 'x,y\n');
    const result = await convert(Readable.from([Buffer.from(header), ...Array.from({ length: 100 }, () => rest)]));
    expect(result.outcome === 'faults' && result.faults.length).toBe(100);
  });

  it.skipIf(process.platform !== 'linux')('that is killed is an error with a sentence, not a result', async () => {
    const content = new Readable({ read: () => {} });
    content.push(Buffer.from(`${header}a,film,,,\n`));
    const conversion = convert(content);
    conversion.catch(() => {});
    await expect.poll(async () => {
      const reader = await readerOf(folder);
      if (reader !== null) process.kill(reader, 'SIGKILL');
      return reader;
    }, { timeout: 120_000 }).not.toBeNull();
    content.push(null);
    await expect(conversion).rejects.toThrow(ChildFailed);
    await expect(conversion).rejects.toThrow('the reader of the uploaded file was ended by SIGKILL');
  });

  it('stops with its signal', async () => {
    const gone = new AbortController();
    const content = new Readable({ read: () => {} });
    content.push(Buffer.from(header));
    const conversion = convert(content, { signal: gone.signal });
    gone.abort(new Error('gone'));
    content.destroy(new Error('gone'));
    await expect(conversion).rejects.toThrow('gone');
  });
});
