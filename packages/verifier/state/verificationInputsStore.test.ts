import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseCollateral } from '../attestation/collateral/parseCollateral.ts';
import type { VerificationInputs } from '../attestation/explain/verificationInputs.ts';
import { tcbPolicies } from '../attestation/policy/policy.ts';
import { makeTestKeys, makeTestWorld } from '../attestation/testPki/makeTestWorld.ts';
import { buildWorld, judgementOf } from '../attestation/testPki/testWorld.ts';
import { verifyAttestation } from '../attestation/verifyAttestation.ts';
import { sharedFolder } from '../testing/runVerifier.ts';
import { VerificationInputsStore } from './verificationInputsStore.ts';

const folder = sharedFolder();
const keys = makeTestKeys();
const date = new Date('2026-03-01T12:00:00Z');
const built = buildWorld(makeTestWorld(keys, date));
const inputs: VerificationInputs = judgementOf(built);

it('what an attestation was judged by gives the same outcome when read again', async () => {
  const id = await new VerificationInputsStore(folder).keep(inputs);
  const again = await new VerificationInputsStore(folder).read(id);
  if (again === null) throw new Error('it is not there');
  expect(verifyAttestation(built.info, { ...again, date })).toEqual(verifyAttestation(built.info, judgementOf(built)));
  expect(statSync(join(folder, 'bases', `${id}.json`)).mode & 0o077).toBe(0);
});

it('is one file for the same files, policy and root, and another where one of them differs', async () => {
  const files = new VerificationInputsStore(join(folder, 'several'));
  const first = await files.keep(inputs);
  expect(await files.keep({ ...inputs })).toBe(first);
  expect(await new VerificationInputsStore(join(folder, 'several')).keep(inputs)).toBe(first);
  const others = await Promise.all([
    files.keep({ ...inputs, policy: { ...inputs.policy, acceptedStatuses: tcbPolicies.strict } }),
    files.keep({ ...inputs, trustRoot: { fingerprint: 'ab'.repeat(32) } }),
    files.keep({ ...inputs, collateral: parseCollateral(built.files.slice(1)) }),
  ]);
  expect(new Set([first, ...others]).size).toBe(4);
  expect(readdirSync(join(folder, 'several', 'bases')).toSorted()).toEqual([first, ...others].map((id) => `${id}.json`).toSorted());
});

it('is none where the file is another one, damaged or gone', async () => {
  const files = new VerificationInputsStore(folder);
  const id = await files.keep(inputs);
  const path = join(folder, 'bases', `${id}.json`);
  const other = await files.keep({ ...inputs, trustRoot: { fingerprint: 'ab'.repeat(32) } });
  for (const text of ['', '[]', '{"trust_root":5}']) {
    writeFileSync(path, text);
    expect(await files.read(id)).toBeNull();
  }
  expect(await files.read(other)).not.toBeNull();
  for (const name of ['ab'.repeat(32), './', '']) expect(await files.read(name)).toBeNull();
});

it('never takes more than 30 MB: the oldest go', async () => {
  const full = join(folder, 'full');
  mkdirSync(join(full, 'bases'), { recursive: true });
  for (let age = 1; age <= 4; age += 1) {
    const path = join(full, 'bases', `${String(age).repeat(64)}.json`);
    writeFileSync(path, Buffer.alloc(12_000_000));
    utimesSync(path, 1_000_000 - age, 1_000_000 - age);
  }
  const id = await new VerificationInputsStore(full).keep(inputs);
  expect(readdirSync(join(full, 'bases')).toSorted()).toEqual([`${'1'.repeat(64)}.json`, `${'2'.repeat(64)}.json`, `${id}.json`].toSorted());
});
