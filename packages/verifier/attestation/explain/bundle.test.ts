import { describe, expect, it } from 'vitest';
import { stepTitles } from '../outcome.ts';
import { makeTestKeys, makeTestWorld } from '../testPki/makeTestWorld.ts';
import { buildWorld, judgementOf, type TestWorld } from '../testPki/testWorld.ts';
import { verifyAttestation } from '../verifyAttestation.ts';
import { BundleFault, verifyBundle, writeBundle } from './bundle.ts';
import { describeOutcome } from './describeOutcome.ts';

const keys = makeTestKeys();
const date = new Date('2026-03-01T12:00:00.123Z');
const later = new Date(date.getTime() + 86_400_000);
const earlier = new Date(date.getTime() - 86_400_000);

function bundleOf(change: (world: TestWorld) => void, drop: readonly string[] = []) {
  const world = makeTestWorld(keys, date);
  change(world);
  const built = buildWorld(world);
  built.files = [...built.files.filter(({ name }) => !drop.includes(name)), { name: 'other.txt', bytes: Buffer.from('nothing of use') }];
  const judgement = judgementOf(built, { allowList: [{ mrSigner: 'b2'.repeat(32), productId: 7 }] });
  const outcome = verifyAttestation(built.info, judgement);
  return { outcome, text: writeBundle(built.info, judgement, outcome) };
}

describe('an exported bundle', () => {
  const cases: [string, (world: TestWorld) => void, string[]?][] = [
    ['valid', () => undefined],
    ['not a quote', (world) => { world.finish = () => Buffer.from('no quote'); }],
    ['forged', (world) => { world.tampering.signature = Buffer.alloc(64, 1); }],
    ['revoked', (world) => { world.pckCrl.revoked = [world.pck.serial]; }],
    ['not allowed', (world) => { world.quote.report.productId = 8; }],
    ['refused by TCB', (world) => { world.tcbInfo.tcbLevels[0]!.tcbStatus = 'Revoked'; }],
    ['missing a list', () => undefined, ['pckCrl.pem']],
    ['missing the TCB info', () => undefined, ['tcbInfo.json']],
    ['missing the signer', () => undefined, ['tcbInfoIssuerChain.txt']],
    ['stale TCB info', (world) => { world.tcbInfo.nextUpdate = earlier.toISOString(); }],
    ['stale list', (world) => { world.rootCrl.nextUpdate = earlier; }],
    ['forged documents', (world) => { world.documentSigner = keys.stranger; }],
    ['a signer of the future', (world) => { world.tcbSigning.notBefore = later; }],
    ['a list of the future', (world) => { world.pckCrl.thisUpdate = later; }],
  ];
  it.each(cases)('leads elsewhere to the same outcome: %s', (_name, change, drop) => {
    const { outcome, text } = bundleOf(change, drop);
    const again = verifyBundle(text);
    expect(again).toMatchObject({ agrees: true, intelsRoot: false });
    expect(again.outcome).toMatchObject({ kind: outcome.kind, reason: outcome.reason, attestationId: outcome.attestationId, date: outcome.date });
  });

  it('holds only the files that the outcome rests on', () => {
    expect(bundleOf(() => undefined).text).not.toContain('other.txt');
    expect(bundleOf((world) => { world.tampering.signature = Buffer.alloc(64, 1); }).text).toContain('"collateral": []');
  });

  it('that claims another outcome does not agree', () => {
    const { text } = bundleOf((world) => { world.tampering.signature = Buffer.alloc(64, 1); });
    const claimed = text.replace('"kind": "malicious"', '"kind": "valid"').replace('"reason": "quote-forged"', '"reason": "verified"');
    expect(verifyBundle(claimed)).toMatchObject({ agrees: false, claimed: { kind: 'valid' }, outcome: { kind: 'malicious' } });
  });

  const { text } = bundleOf(() => undefined);
  const damaged: [string, string][] = [
    ['nothing', ''], ['no JSON', '<html>'], ['a list', '[]'], ['another format', '{"format":"zip"}'], ['a later version', text.replace('"version": 1', '"version": 2')],
    ['a root that is none', text.replace(/"trust_root": "[^"]+"/, '"trust_root": "here"')], ['a policy that accepts revoked platforms', text.replace('"OutOfDate"', '"Revoked"')],
    ['a date that is none', text.replace(/"date": "[^"]+"/, '"date": "2026-13-41T00:00:00Z"')], ['an info that is a number', text.replace(/"info": "[^"]+"/, '"info": 5')],
  ];
  it.each(damaged)('that is damaged is refused with a sentence: %s', (_name, broken) => {
    expect(() => verifyBundle(broken)).toThrow(BundleFault);
  });
});

describe('the explanation', () => {
  it('shows each step with its values', () => {
    const { outcome } = bundleOf(() => undefined);
    const lines = describeOutcome(outcome);
    for (const title of Object.values(stepTitles)) expect(lines).toContain(`ok   ${title}`);
    for (const value of [outcome.attestationId, 'a1'.repeat(32), '00a067110000', 'valid (result 0)', 'tcbInfo.json', 'UpToDate']) expect(lines).toContain(value);
  });

  it('shows which step failed, why, and which were not reached', () => {
    const { outcome } = bundleOf((world) => { world.pck.signer = keys.stranger; });
    const lines = describeOutcome(outcome);
    expect(lines).toContain(`FAIL ${stepTitles.chain}`);
    expect(lines).toContain('The signature of “Intel SGX PCK Platform CA” on “Intel SGX PCK Certificate” is invalid.');
    expect(lines).toContain(`–    ${stepTitles.binding}`);
  });

  it('lets no name in a certificate steer the terminal', () => {
    const { outcome } = bundleOf((world) => { world.pck.subject = 'Intel\u001b[2J\u202e\nok'; });
    const lines = describeOutcome(outcome);
    expect(lines).not.toContain('\u001b');
    expect(lines).not.toContain('\u202e');
    expect(lines).toContain('Intel\\u{1b}[2J\\u{202e}\\u{a}ok');
  });
});
