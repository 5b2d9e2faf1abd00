import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { makePlace, removePlace, runVouch, startServe, stopService, urlOf, waitUntil } from './harness/place.ts';
import { findServer, processTree, untilGone } from './harness/processTree.ts';
import { startService, type Service } from './harness/service.ts';
import { placeEnvironment, untilReady, type VouchPlace } from './harness/vouchSubjects.ts';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';

/** Preloaded module that throws in a listener, like a missing catch, on a signal that the server does not use. */
const failing = "data:text/javascript,process.on('SIGURG', () => { throw new Error('a planted failure') })";

describe.skipIf(process.platform !== 'linux')('vouch serve whose server crashes (needs /proc)', () => {
  // All tests share one folder, so that only the first start creates a database.
  let place: VouchPlace;
  let service: Service | null = null;
  beforeAll(async () => {
    place = await makePlace();
  });
  afterEach(async () => {
    if (service !== null) await stopService(service);
    service = null;
  });
  afterAll(() => removePlace(place));

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${urlOf(place)}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const servedBy = (running: Service, before: number): Promise<void> =>
    waitUntil('another process serves', async () => {
      const server = processTree(running.processId).find(({ command }) => command.includes('dist/run.js'));
      return server !== undefined && server.processId !== before && (await fetch(`${urlOf(place)}/readyz`).then(({ ok }) => ok, () => false));
    });
  const crashes = async (): Promise<{ ended: string; error: string | null }[]> => {
    const folder = join(place.folder, 'crashes');
    const names = (await readdir(folder)).toSorted();
    return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as { ended: string; error: string | null }));
  };
  const doctor = async (): Promise<string> => {
    const examined = await runVouch(place, ['doctor']);
    await examined.ended;
    return examined.output();
  };

  exhaustiveTest('serves again on the same port, shows no key twice, and log, metrics and doctor tell of it', async () => {
    // Without an admin key in the environment, the first start creates a key and prints it.
    const environment = { ...placeEnvironment(place), VOUCH_ADMIN_KEY: '', NODE_OPTIONS: `--import "${failing}"` };
    service = await startService({ program: process.execPath, arguments: [vouchProgram, 'serve'], folder: place.folder, environment });
    await untilReady(place, AbortSignal.timeout(240_000));
    const printed = [...service.output().matchAll(/vch_\w+/g)].length;
    expect(await metric('vouch_crashes_total')).toBe(0);
    expect(await doctor()).toMatch(/ok +crashes +no crashes recorded/);

    for (const [count, signal] of [[1, 'SIGKILL'], [2, 'SIGSEGV'], [3, 'SIGURG']] as const) {
      const server = findServer(service.processId);
      const tree = processTree(server);
      process.kill(server, signal);
      await servedBy(service, server);
      await untilGone(tree.filter(({ processId }) => processId === server));
      await waitUntil('the crash is counted', async () => (await metric('vouch_crashes_total')) === count);
    }
    expect(await metric('vouch_last_crash_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
    expect(await crashes()).toMatchObject([
      { ended: 'SIGKILL', error: null }, { ended: 'SIGSEGV', error: null }, { ended: 'exit code 1', error: expect.stringContaining('a planted failure') as string },
    ]);
    expect((await stat(join(place.folder, 'crashes'))).mode & 0o777).toBe(0o700);
    expect([...service.output().matchAll(/vch_\w+/g)].length).toBe(printed);
    expect(service.output()).toMatch(/"level":"error".*"crash":\{.*a planted failure.*"msg":"started again after a crash"/);
    expect(await doctor()).toMatch(/crashes +3 within a day, the last at .*: vouch serve ended by exit code 1: Error: a planted failure/);
    expect(await stopService(service)).toBe(0);
  });

  exhaustiveTest('takes the server and all that it started with it when it is killed itself', async () => {
    service = await startServe(place, { arguments: ['--devnet'] });
    const tree = processTree(service.processId);
    expect(tree.some(({ command }) => command.includes('anvil'))).toBe(true);
    process.kill(service.processId, 'SIGKILL');
    await untilGone(tree);
    service = await startServe(place, { arguments: ['--devnet'] });
  });

  exhaustiveTest('drains once and ends with 0 where a terminal sends its signal to all of its processes, and at once at the second one', async () => {
    service = await startServe(place);
    process.kill(-service.processId, 'SIGINT');
    expect(await service.ended).toBe(0);
    service = await startServe(place);
    // A client with an open request prevents the server from completing its drain.
    const held = request(`${urlOf(place)}/v1/recommender/data_batch`, {
      method: 'POST', headers: { apikey: place.key, 'content-type': 'multipart/form-data; boundary=x', expect: '100-continue' },
    }).on('error', () => {});
    held.flushHeaders();
    await once(held, 'continue');
    held.write('--x\r\n');
    process.kill(-service.processId, 'SIGINT');
    await waitUntil('it drains', async () => (await fetch(`${urlOf(place)}/readyz`).then(({ status }) => status, () => 0)) === 503);
    process.kill(-service.processId, 'SIGINT');
    expect(await service.ended).toBe(1);
    held.destroy();
  });
});
