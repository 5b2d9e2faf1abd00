import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeTestKeys, makeTestWorld } from '../testPki/makeTestWorld.ts';
import { buildWorld, type BuiltWorld, type TestWorld } from '../testPki/testWorld.ts';
import { checkCollateral, reportCollateral, type CollateralReport } from './checkCollateral.ts';
import { parseCollateral } from './parseCollateral.ts';
import { CollateralFolderFault, maxCollateralFileBytes, readCollateralFolder } from './readCollateralFolder.ts';

const keys = makeTestKeys();
const date = new Date('2026-03-01T12:00:00Z');
const days = (count: number): Date => new Date(date.getTime() + count * 86_400_000);

function check(change: (world: TestWorld) => void = () => undefined, keep: (name: string) => boolean = () => true): CollateralReport {
  const world = makeTestWorld(keys, date);
  change(world);
  const built = buildWorld(world);
  return reportCollateral(parseCollateral(built.files.filter(({ name }) => keep(name))), date, built.trustRoot);
}

const faults = ({ items }: CollateralReport): string[] => items.filter(({ state }) => state !== 'good').map(({ what, state }) => `${what}: ${state}`);

describe('the check of collateral', () => {
  it('finds a whole set good until its first part ends', () => {
    const report = check((world) => { world.pckCrl.nextUpdate = days(12); });
    expect(report).toMatchObject({ complete: true, validUntil: days(12).toISOString(), platforms: ['00a067110000'] });
    expect(report.items.map(({ sentence }) => sentence).join('\n')).toContain('12 days');
  });

  const cases: [string, (world: TestWorld) => void, (name: string) => boolean, string[]][] = [
    ['an empty folder', () => undefined, () => false, ['root certificate: missing']],
    ['no list of the root', () => undefined, (name) => name !== 'rootCrl.der', ['revocation list of Intel SGX Root CA: missing']],
    ['no list of the platforms', () => undefined, (name) => name !== 'pckCrl.pem', ['revocation list of Intel SGX PCK Platform CA: missing']],
    ['no issuer of that list', () => undefined, (name) => name !== 'pckCrlIssuerChain.pem', ['revocation list of platforms: missing']],
    ['no TCB info', () => undefined, (name) => name !== 'tcbInfo.json', ['TCB info: missing']],
    ['no QE identity', () => undefined, (name) => name !== 'qeIdentity.json', ['identity of the quoting enclave: missing']],
    ['an old list', (world) => { world.pckCrl.nextUpdate = days(-1); }, () => true, ['revocation list of Intel SGX PCK Platform CA: stale']],
    ['old TCB info', (world) => { world.tcbInfo.nextUpdate = days(-1).toISOString(); }, () => true, ['TCB info of 00a067110000: stale']],
    ['forged documents', (world) => { world.documentSigner = keys.stranger; }, () => true, ['identity of the quoting enclave: forged', 'TCB info of 00a067110000: forged']],
    ['a forged list', (world) => { world.rootCrl.signer = keys.stranger; }, () => true, ['revocation list of Intel SGX Root CA: forged']],
  ];
  it.each(cases)('names what is wrong: %s', (_name, change, keep, wanted) => {
    const report = check(change, keep);
    expect(report.complete).toBe(false);
    expect(faults(report)).toEqual(wanted);
  });
});

describe('a folder of collateral', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-collateral-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const built: BuiltWorld = buildWorld(makeTestWorld(keys, date));
  for (const { name, bytes } of built.files) await writeFile(join(folder, name), bytes);

  it('is read by content, and hidden files are left alone', async () => {
    await writeFile(join(folder, '.partial'), 'half');
    expect(await checkCollateral(folder, date, built.trustRoot)).toMatchObject({ complete: true });
  });

  it('says which of its files cannot be read', async () => {
    await writeFile(join(folder, 'notes.txt'), 'fetched in March');
    await writeFile(join(folder, 'huge.der'), Buffer.alloc(maxCollateralFileBytes + 1));
    const report = await checkCollateral(folder, date, built.trustRoot);
    expect(faults(report)).toEqual(['notes.txt: unreadable', 'huge.der: unreadable']);
  });

  it('that is not there is a fault with a sentence', async () => {
    await expect(readCollateralFolder(join(folder, 'none'))).rejects.toThrow(CollateralFolderFault);
    await expect(readCollateralFolder(join(folder, 'none'))).rejects.toThrow('ENOENT');
  });
});
