import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filePath } from '../config/filePath.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import { runVerifier, sharedFolder, writeConfiguration } from '../testing/runVerifier.ts';
import { lockFolder, takeFolder } from './lockFolder.ts';
import { nodeFolder } from './nodeFolder.ts';
import { lockFile, stateFile, stateFolder } from './nodeState.ts';

const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const node = '0x2c7536e3605d9c16a7a3d7b1898e529396a65c23';
const service = '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634';
const began = process.cwd();
const root = sharedFolder();
const [home, elsewhere] = [join(root, 'home'), join(root, 'elsewhere')];
const kept = (place: string): string => stateFolder(join(place, 'verifier-data'), 31_337, service, node);
const loaded = (changes: Record<string, string | null> = {}) => loadConfiguration({ '-conf': writeConfiguration(home, changes) });
const chosen = (changes: Record<string, string | null> = {}) => nodeFolder(loaded(changes).configuration, node);

/** Creates an empty state file in a node's folder. */
function keep(place: string, name = stateFile): void {
  mkdirSync(kept(place), { recursive: true });
  writeFileSync(join(kept(place), name), '');
}

beforeEach(() => {
  for (const place of [home, elsewhere]) mkdirSync(place, { recursive: true });
  process.chdir(elsewhere);
});
afterEach(() => {
  process.chdir(began);
  for (const place of [home, elsewhere]) rmSync(place, { recursive: true });
});

describe('the state of a node', () => {
  it('lies beside the configuration file, wherever the node is started from', () => {
    expect(chosen()).toEqual({ folder: kept(home), other: null, note: null });
    expect(chosen({ 'node.data_path': '"state"' }).folder).toBe(stateFolder(join(home, 'state'), 31_337, service, node));
    expect(chosen({ 'node.data_path': '"/var/lib/vouch"' }).folder).toBe(stateFolder('/var/lib/vouch', 31_337, service, node));
    writeConfiguration(elsewhere);
    expect(nodeFolder(loadConfiguration({}).configuration, node)).toEqual({ folder: stateFolder('verifier-data', 31_337, service, node), other: null, note: null });
  });

  it.each([stateFile, lockFile])('of an earlier release is used where it lies, below the working folder, and the node says so (%s)', (name) => {
    keep(elsewhere, name);
    expect(chosen()).toEqual({ folder: stateFolder('verifier-data', 31_337, service, node), other: null, note: expect.stringContaining(`move the state to ${kept(home)}`) as string });
  });

  it('of another node below the working folder changes nothing', () => {
    mkdirSync(stateFolder(join(elsewhere, 'verifier-data'), 31_337, service, `0x${'ab'.repeat(20)}`), { recursive: true });
    expect(chosen()).toEqual({ folder: kept(home), other: null, note: null });
  });

  it('at both places is that beside the configuration file, and never while a program works at the other', async () => {
    keep(home);
    keep(elsewhere);
    const { folder, other, note } = chosen();
    expect([folder, note]).toEqual([kept(home), expect.stringContaining('is not used: remove it')]);
    const unlock = await lockFolder(kept(elsewhere));
    await expect(takeFolder(folder, other)).rejects.toThrow('uses');
    await unlock();
    await (await takeFolder(folder, other))();
  });

  it('is made by a node that is run from an empty folder beside the file alone', async () => {
    const conf = writeConfiguration(home, { 'chain.rpc_url': '"http://127.0.0.1:9"' });
    const stop = new AbortController();
    const ended = runVerifier(['-conf', conf, '-private-key', key], '', systemInterfaces, stop.signal);
    while (![home, elsewhere].some((place) => existsSync(join(kept(place), lockFile)))) await systemInterfaces.timers.sleep(20);
    stop.abort();
    const { code } = await ended;
    expect([code, existsSync(join(kept(home), lockFile)), existsSync(join(elsewhere, 'verifier-data'))]).toEqual([0, true, false]);
  });
});

describe('other paths of the configuration file', () => {
  it('count from the folder of the file, and those of flags from the working folder', () => {
    const { configuration, key: source, warnings } = loaded({ 'wallet.mode': '2', 'wallet.keystore_path': 'node.json', 'log.path': '../node.log' });
    expect([configuration.attestation.collateralPath, configuration.log.path, source]).toEqual([join(home, 'collateral'), join(root, 'node.log'), expect.objectContaining({ path: join(home, 'node.json') })]);
    expect(warnings).toEqual([]);
    expect(loadConfiguration({ '-conf': writeConfiguration(home), '-keystore-path': 'node.json' }).key).toMatchObject({ path: 'node.json' });
  });

  it('lead to what lies below the working folder alone, with a warning, as in earlier releases', () => {
    writeFileSync('node.json', '{}');
    mkdirSync('collateral');
    const changes = { 'wallet.mode': '2', 'wallet.keystore_path': 'node.json' };
    const { configuration, key: source, warnings } = loaded(changes);
    expect([configuration.attestation.collateralPath, source]).toEqual(['./collateral', expect.objectContaining({ path: 'node.json' })]);
    expect(warnings.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('wallet.keystore_path is relative to the working folder (node.json)'), expect.stringContaining(`move it to ${join(home, 'collateral')}`)]);
    writeFileSync(join(home, 'node.json'), '{}');
    expect(loaded(changes).key).toMatchObject({ path: join(home, 'node.json') });
  });

  it('count from the working folder where the configuration comes through a pipe', () => {
    expect(filePath('verifier-data', '/dev/null')).toEqual({ path: 'verifier-data', former: null });
  });
});
