import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkCollateral } from '../collateral/checkCollateral.ts';
import { readCollateralFolder } from '../collateral/readCollateralFolder.ts';
import type { Outcome } from '../outcome.ts';
import { defaultPolicy } from '../policy/policy.ts';
import { verifyAttestation } from '../verifyAttestation.ts';
import { keepTestPki, type TestAttestation, type TestPki } from './keepTestPki.ts';

const folder = await mkdtemp(join(tmpdir(), 'vouch-pki-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const date = new Date('2026-03-01T12:00:00Z');
const later = new Date('2026-06-01T12:00:00Z');

async function judge({ trustRoot, collateralFolder, makeInfo }: TestPki, kind: TestAttestation, at: Date): Promise<Outcome> {
  return verifyAttestation(makeInfo(kind, Buffer.from(`${kind} ${at.getTime()}`)), { collateral: await readCollateralFolder(collateralFolder), policy: defaultPolicy, trustRoot, date: at });
}

it('makes attestations of every verdict', async () => {
  const pki = await keepTestPki(folder, date);
  const kinds = ['good', 'not a quote', 'debugged', 'forged'] as const;
  expect(await Promise.all(kinds.map(async (kind) => (await judge(pki, kind, date)).result))).toEqual([0, 1, 1, 2]);
});

it('keeps its root over restarts and renews its collateral', async () => {
  const first = await keepTestPki(folder, date);
  const second = await keepTestPki(folder, later);
  expect(second.trustRoot).toEqual(first.trustRoot);
  expect((await judge(first, 'good', later)).result).toBe(0);
  await second.renewCollateral(date);
  expect(await checkCollateral(second.collateralFolder, later, second.trustRoot)).toMatchObject({ complete: false });
});

it('keeps its keys to its owner', async () => {
  await keepTestPki(folder, date);
  expect(((await stat(join(folder, 'pki.json'))).mode & 0o777).toString(8)).toBe('600');
});
