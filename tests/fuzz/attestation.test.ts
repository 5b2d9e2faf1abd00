import { reasonsByKind, stepNames } from '@vouch/verifier/attestation/outcome';
import { expect, it } from 'vitest';
import { compareVerdicts, tellComparison } from './attestation/compareVerdicts.ts';
import { damageWorlds } from './attestation/damageWorlds.ts';
import { mutations } from './attestation/mutations.ts';

/** By default, each kind of change once; `npm run test:heavy` makes 10,000 changes. */
const count = Number(process.env['VOUCH_TEST_FUZZ_ATTESTATIONS'] ?? mutations.length);

it(`${count} mutated attestations: the verdict is that of another implementation wherever it can judge`, () => {
  const comparison = compareVerdicts(0, count);
  console.log(tellComparison(comparison));
  expect(comparison.disagreements).toEqual([]);
  expect(comparison.worlds).toBe(count);
  // A fuzzer that never gets to a check shows nothing about it.
  for (const step of stepNames) expect(comparison.reached.get(step) ?? 0, step).toBeGreaterThan(count / 10);
  expect(comparison.accepted).toBeGreaterThan(count / 10);
  expect([...comparison.reasons.keys()].filter((reason) => reasonsByKind['no-vote'].some((code) => code === reason)).length).toBeGreaterThan(2);
}, 600_000);

it(`${count} attestations and folders with damaged bytes: none makes the verifier fail, none makes a changed quote valid`, () => {
  const damage = damageWorlds(0, count);
  expect(damage.faults).toEqual([]);
  expect(damage.unread).toBeGreaterThan(count / 10);
}, 600_000);
