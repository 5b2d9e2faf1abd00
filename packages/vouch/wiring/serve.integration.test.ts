import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateway } from '@vouch/gateway/product';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import type { Product } from '@vouch/platform/product/product';
import { expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { readConfiguration } from './configuration.ts';
import { serve } from './serve.ts';
import { work } from './work.ts';

it('the first admin key is shown once and kept in a file of this user, also where the start that made it goes no further', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-serve-'));
  const database = await openTestDatabase({ migrations: [] });
  const configuration = readConfiguration({
    VOUCH_DATA: folder, DATABASE_URL: database.connectionString, HOST: '127.0.0.1', PORT: '0', VOUCH_LOG_LEVEL: 'silent',
  });
  const broken: Product = { ...gateway, build: () => { throw new Error('the start goes no further'); } };
  const shown: string[] = [];
  const showFirstKey = (key: string): void => void shown.push(key);
  try {
    await expect(serve({ configuration, products: [broken], worker: false, showFirstKey })).rejects.toThrow('no further');
    const running = await serve({ configuration, products: [], worker: false, showFirstKey });
    expect(shown).toHaveLength(1);
    expect(await running.platform.keys.authenticate(shown[0] ?? '')).toMatchObject({ scopes: ['admin'] });
    expect(await readFile(join(folder, 'key'), 'utf8')).toBe(`${shown[0]}\n`);
    expect((await stat(join(folder, 'key'))).mode & 0o777).toBe(0o600);
    await running.stop();
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
});

exhaustiveTest('neither a server nor a worker starts on the blob store of another installation, which would remove what they put there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-serve-'));
  const [mine, other] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  const configured = (database: TestDatabase) => readConfiguration({
    VOUCH_DATA: folder, DATABASE_URL: database.connectionString, HOST: '127.0.0.1', PORT: '0', VOUCH_LOG_LEVEL: 'silent',
  });
  const start = (database: TestDatabase) => serve({ configuration: configured(database), products: [], worker: false });
  try {
    await (await start(mine)).stop();
    const refusal = `The folder ${join(folder, 'blobs')} belongs to another installation`;
    await expect(start(other)).rejects.toThrow(refusal);
    await expect(work({ configuration: configured(other), products: [] })).rejects.toThrow(refusal);
    await (await work({ configuration: configured(mine), products: [] })).stop();
    await (await start(mine)).stop();
  } finally {
    await Promise.all([mine.close(), other.close()]);
    await rm(folder, { recursive: true, force: true });
  }
});
