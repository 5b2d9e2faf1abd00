import { expect, it } from 'vitest';
import { duckdbCheck } from './duckdbCheck.ts';

it('DuckDB is found where npm has installed it', async () => {
  expect(await duckdbCheck().run()).toMatchObject([{ status: 'ok' }]);
});

it('without DuckDB the missing file is named, and the mend', async () => {
  const load = (): Promise<never> => Promise.reject(new Error("Cannot find module '@duckdb/node-bindings-linux-x64/duckdb.node'\nRequire stack:\n- a.js"));
  const [finding] = await duckdbCheck(load).run();
  expect(finding).toMatchObject({ status: 'fault', remedy: expect.stringContaining('npm ci') });
  expect(finding?.detail).toMatch(/no upload and no training works: Cannot find module '@duckdb\/node-bindings-linux-x64\/duckdb.node'$/);
});
