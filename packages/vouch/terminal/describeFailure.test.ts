import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { describeFailure } from './describeFailure.ts';

it.each(['@duckdb/node-bindings-none/duckdb.node', '@aws-sdk/client-none', 'no-such-package'])('names the package that was left out of the installation: %s', async (name) => {
  const folder = name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/');
  for (const load of [() => createRequire(import.meta.url)(name) as unknown, () => import(/* @vite-ignore */ name) as Promise<unknown>]) {
    const error = await Promise.resolve().then(load).then(() => null, (thrown: unknown) => thrown);
    expect(describeFailure(error)).toBe(`The package ${folder} is not installed. Install vouch again with all optional packages (npm without --omit=optional), on this machine.`);
  }
});

it('leaves a missing file of the program itself to the stack', () => {
  expect(describeFailure(Object.assign(new Error("Cannot find module '/opt/vouch/dist/part-1.js'"), { code: 'ERR_MODULE_NOT_FOUND' }))).toContain('/opt/vouch/dist/part-1.js');
});
