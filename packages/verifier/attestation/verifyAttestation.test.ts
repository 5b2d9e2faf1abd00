import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { keccak256 } from 'viem';
import { maxInfoCharacters, maxQuoteBytes } from './decodeInfo.ts';
import type { Reason } from './outcome.ts';
import { tcbPolicies, type AllowedEnclave, type AttestationPolicy } from './policy/policy.ts';
import { tcbStatuses } from './policy/tcbStatus.ts';
import { makeTestKey } from './testPki/keys.ts';
import { makeTestKeys, makeTestWorld, testNames } from './testPki/makeTestWorld.ts';
import { buildWorld, infoOf, judgementOf, type BuiltWorld, type TestWorld } from './testPki/testWorld.ts';
import { verifyAttestation } from './verifyAttestation.ts';

const keys = makeTestKeys();
const date = new Date('2026-03-01T12:00:00Z');
const days = (count: number): Date => new Date(date.getTime() + count * 86_400_000);
const iso = (count: number): string => days(count).toISOString();

const plain = makeTestWorld(keys, date);
const made = buildWorld(plain).certificates;

/** Reuses the DER of every certificate that the test did not change: creating and parsing the certificates takes most of a test's time. */
function withMadeCertificates(world: TestWorld): TestWorld {
  for (const name of ['root', 'platformCa', 'pck', 'tcbSigning'] as const) if (isDeepStrictEqual(world[name], plain[name])) world[name].der = made[name];
  return world;
}

/** Changes a test world, builds it and verifies its attestation. */
function judge(change: (world: TestWorld) => void = () => undefined, policy: Partial<AttestationPolicy> = {}, after: (built: BuiltWorld) => void = () => undefined) {
  const world = makeTestWorld(keys, date);
  change(world);
  const built = buildWorld(withMadeCertificates(world));
  after(built);
  return verifyAttestation(built.info, judgementOf(built, policy));
}

const without = (...names: string[]) => (built: BuiltWorld): void => {
  built.files = built.files.filter(({ name }) => !names.includes(name));
};

describe('a good attestation', () => {
  it('is valid, by every step, and names the files it rests on', () => {
    const outcome = judge();
    expect(outcome).toMatchObject({ kind: 'valid', result: 0, reason: 'verified', date: date.toISOString() });
    expect(outcome.steps.map(({ outcome: made }) => made)).toEqual(outcome.steps.map(() => 'passed'));
    expect(outcome.collateralFiles).toEqual(['pckCrl.pem', 'qeIdentity.json', 'rootCrl.der', 'tcbInfo.json', 'tcbInfoIssuerChain.txt']);
  });

  it('is known by keccak256 of its text', () => {
    const { info } = buildWorld(makeTestWorld(keys, date));
    const outcome = verifyAttestation(info, judgementOf(buildWorld(makeTestWorld(keys, date))));
    expect(outcome.attestationId).toBe(keccak256(Buffer.from(info)));
  });

  it('may have authentication data of any length', () => {
    for (const data of ['', 'ff', '00'.repeat(200)]) expect(judge((world) => { world.quote.qeAuthenticationData = data; }).reason).toBe('verified');
  });

  it('may end its certificates with the zero byte of C', () => {
    const world = makeTestWorld(keys, date);
    world.finish = (quote) => {
      const longer = Buffer.concat([quote, Buffer.from([0])]);
      longer.writeUInt32LE(longer.readUInt32LE(432) + 1, 432);
      const certificateLength = 436 + 64 + 64 + 384 + 64 + 2 + 32 + 2;
      longer.writeUInt32LE(longer.readUInt32LE(certificateLength) + 1, certificateLength);
      return longer;
    };
    const built = buildWorld(world);
    expect(verifyAttestation(built.info, judgementOf(built)).reason).toBe('verified');
  });
});

describe('an attestation that is not a quote', () => {
  const judgement = judgementOf(buildWorld(makeTestWorld(keys, date)));
  const cases: [string, string, Reason][] = [
    ['nothing', '', 'info-not-base64'],
    ['prose', 'hello, world', 'info-not-base64'],
    ['base64 with a broken padding', 'AAAAA', 'info-not-base64'],
    ['base64 of noise', Buffer.alloc(300, 0xee).toString('base64'), 'info-not-brotli'],
    ['a cut brotli stream', brotliCompressSync(Buffer.alloc(5_000, 'quote')).subarray(0, 12).toString('base64'), 'info-not-brotli'],
    ['more characters than any quote', 'A'.repeat(maxInfoCharacters + 4), 'info-too-large'],
    ['a bomb that unfolds into 64 MB', brotliCompressSync(Buffer.alloc(2 ** 26)).toString('base64'), 'info-too-large'],
    ['no bytes at all', infoOf(Buffer.alloc(0)), 'quote-unreadable'],
    ['zeros', infoOf(Buffer.alloc(5_000)), 'quote-unsupported'],
    ['the largest text that fits', infoOf(Buffer.alloc(maxQuoteBytes, 3)), 'quote-unsupported'],
  ];
  it.each(cases)('is invalid: %s', (_name, info, reason) => {
    expect(verifyAttestation(info, judgement)).toMatchObject({ kind: 'invalid', result: 1, reason });
  });

  it.each<[string, Buffer]>([['a byte', Buffer.from([0])], ['text', Buffer.from('twice')], ['a second stream', brotliCompressSync(Buffer.from('more'))]])(
    'is invalid where %s follows the brotli stream of a good quote, as for other decoders', (_what, more) => {
      const built = buildWorld(withMadeCertificates(makeTestWorld(keys, date)));
      const outcome = verifyAttestation(Buffer.concat([Buffer.from(built.info, 'base64'), more]).toString('base64'), judgementOf(built));
      expect(outcome).toMatchObject({ kind: 'invalid', result: 1, reason: 'info-not-brotli' });
      expect(outcome.sentence).toContain(`${more.length} bytes follow`);
    });

  it('is invalid wherever a quote is cut off, and whatever follows it', () => {
    const { quote } = buildWorld(makeTestWorld(keys, date));
    for (let length = 2; length < quote.length; length += 37) {
      expect(verifyAttestation(infoOf(quote.subarray(0, length)), judgement).reason).toBe('quote-unreadable');
    }
    expect(judge((world) => { world.tampering.trailing = Buffer.from([0]); }).reason).toBe('quote-unreadable');
  });
});

describe('a quote of another kind', () => {
  const cases: [string, (world: TestWorld) => void, Reason][] = [
    ['version 4', (world) => { world.quote.version = 4; }, 'quote-unsupported'],
    ['EPID key', (world) => { world.quote.keyType = 0; }, 'quote-unsupported'],
    ['TDX', (world) => { world.quote.teeType = 0x81; }, 'quote-unsupported'],
    ['vendor', (world) => { world.quote.vendorId = '00'.repeat(16); }, 'quote-unsupported'],
    ['encrypted PPID instead of certificates', (world) => { world.quote.certificationType = 3; }, 'quote-unsupported'],
    ['certificates that are none', (world) => { world.finish = (quote) => (quote.fill('#', quote.length - 700, quote.length - 600), quote); }, 'certificates-unreadable'],
    ['a leaf without Intel’s extension', (world) => { world.pck.platform = null; }, 'certificates-unreadable'],
    ['an extension with a short FMSPC', (world) => { world.pck.platform = { ...world.pck.platform!, fmspc: '00a067' }; }, 'certificates-unreadable'],
    ['an extension with a version above 255', (world) => { world.pck.platform = { ...world.pck.platform!, pceSvn: 70_000 }; }, 'certificates-unreadable'],
  ];
  it.each(cases)('is invalid: %s', (_name, change, reason) => {
    expect(judge(change)).toMatchObject({ kind: 'invalid', result: 1, reason });
  });
});

describe('a forged attestation', () => {
  const cases: [string, (world: TestWorld) => void, Reason][] = [
    ['an intermediate that the root did not sign', (world) => { world.platformCa.signer = keys.stranger; }, 'chain-broken'],
    ['a leaf that the intermediate did not sign', (world) => { world.pck.signer = keys.stranger; }, 'chain-broken'],
    ['a leaf of another issuer’s name', (world) => { world.pck.issuer = 'Intel SGX PCK Processor CA'; }, 'chain-broken'],
    ['an intermediate that is no authority', (world) => { world.platformCa.authority = false; world.platformCa.pathLength = null; }, 'chain-broken'],
    ['an intermediate that may not sign certificates', (world) => { world.platformCa.signsCertificates = false; }, 'chain-broken'],
    ['an intermediate of another name', (world) => { world.platformCa.subject = world.pck.issuer = 'Intel SGX TCB Signing'; }, 'chain-broken'],
    ['a leaf of another name', (world) => { world.pck.subject = 'Intel SGX TCB Signing'; }, 'chain-broken'],
    ['a leaf that is an authority', (world) => { world.pck.authority = true; world.platformCa.pathLength = 1; }, 'chain-broken'],
    ['an authority below one that may have none', (world) => { world.pck.authority = true; }, 'chain-broken'],
    ['a critical extension that nobody knows', (world) => { world.pck.unknownCritical = '1.2.3.4'; }, 'chain-broken'],
    ['an expired leaf', (world) => { world.pck.notAfter = days(-1); }, 'certificate-outside-validity'],
    ['an intermediate of the future', (world) => { world.platformCa.notBefore = days(1); }, 'certificate-outside-validity'],
    ['an expired root', (world) => { world.root.notAfter = days(-1); }, 'certificate-outside-validity'],
    ['a report of the quoting enclave by another key', (world) => { world.tampering.qeReportSignature = Buffer.alloc(64, 7); }, 'qe-report-forged'],
    ['a signature of zeros', (world) => { world.tampering.qeReportSignature = Buffer.alloc(64); }, 'qe-report-forged'],
    ['another attestation key than the bound one', (world) => { world.tampering.qeReportData = Buffer.alloc(64, 9); }, 'attestation-key-unbound'],
    ['a quote by another key', (world) => { world.tampering.attestationPoint = makeTestKey().point; }, 'quote-forged'],
    ['an attestation key off the curve', (world) => { world.tampering.attestationPoint = Buffer.alloc(64, 1); }, 'quote-forged'],
    ['a report that was changed after signing', (world) => { world.finish = (quote) => (quote.fill(0xee, 48 + 320, 48 + 330), quote); }, 'quote-forged'],
    ['a header that was changed after signing', (world) => { world.finish = (quote) => (quote.fill(0xee, 28, 48), quote); }, 'quote-forged'],
    ['a revoked platform', (world) => { world.pckCrl.revoked = ['99', world.pck.serial]; }, 'certificate-revoked'],
    ['a revoked intermediate', (world) => { world.rootCrl.revoked = [world.platformCa.serial]; }, 'certificate-revoked'],
    ['a quoting enclave of another signer', (world) => { world.quote.qeReport.mrSigner = 'ee'.repeat(32); }, 'qe-not-genuine'],
    ['a quoting enclave of another product', (world) => { world.quote.qeReport.productId = 2; }, 'qe-not-genuine'],
    ['a quoting enclave with another MISCSELECT', (world) => { world.quote.qeReport.miscSelect = 1; }, 'qe-not-genuine'],
    ['a quoting enclave that is debugged', (world) => { world.quote.qeReport.attributes = '1700000000000000e700000000000000'; }, 'qe-not-genuine'],
  ];
  it.each(cases)('is malicious: %s', (_name, change, reason) => {
    expect(judge(change)).toMatchObject({ kind: 'malicious', result: 2, reason });
  });

  it('is malicious: a whole chain of its own under a root of the same name', () => {
    const foreign = buildWorld(makeTestWorld(makeTestKeys(), date));
    const judgement = judgementOf(buildWorld(makeTestWorld(keys, date)));
    expect(verifyAttestation(foreign.info, judgement)).toMatchObject({ kind: 'malicious', result: 2, reason: 'root-not-trusted' });
  });

  it('is malicious also for whoever has no collateral, where none is needed to see it', () => {
    expect(judge((world) => { world.tampering.signature = Buffer.alloc(64, 3); }, {}, (built) => { built.files = []; }).reason).toBe('quote-forged');
  });
});

describe('policy', () => {
  const report = { mrEnclave: 'a1'.repeat(32), mrSigner: 'b2'.repeat(32) };
  const lists: [string, AllowedEnclave, boolean][] = [
    ['this build', { mrEnclave: report.mrEnclave }, true],
    ['another build', { mrEnclave: 'aa'.repeat(32) }, false],
    ['its signer', { mrSigner: report.mrSigner }, true],
    ['another signer', { mrSigner: 'aa'.repeat(32) }, false],
    ['its signer and another build', { ...report, mrEnclave: 'aa'.repeat(32) }, false],
    ['its signer and product', { mrSigner: report.mrSigner, productId: 7 }, true],
    ['its signer and another product', { mrSigner: report.mrSigner, productId: 8 }, false],
    ['its signer from its version on', { mrSigner: report.mrSigner, securityVersionMin: 3 }, true],
    ['its signer from a later version on', { mrSigner: report.mrSigner, securityVersionMin: 4 }, false],
  ];
  it.each(lists)('accepts by the allow-list: %s', (_name, entry, accepted) => {
    const outcome = judge(undefined, { allowList: [{ mrEnclave: 'ff'.repeat(32) }, entry] });
    expect(outcome).toMatchObject(accepted ? { kind: 'valid' } : { kind: 'invalid', result: 1, reason: 'enclave-not-allowed' });
  });

  it('refuses an enclave that is debugged', () => {
    expect(judge((world) => { world.quote.report.attributes = '0700000000000000e700000000000000'; })).toMatchObject({ result: 1, reason: 'debug-enclave' });
  });

  const policies = Object.entries(tcbPolicies).flatMap(([name, accepted]) => tcbStatuses.map((status) => [name, status, accepted] as const));
  it.each(policies)('%s judges a platform that is %s', (_name, status, acceptedStatuses) => {
    const outcome = judge((world) => { world.tcbInfo.tcbLevels[0]!.tcbStatus = status; }, { acceptedStatuses });
    const accepted: readonly string[] = acceptedStatuses;
    expect(outcome).toMatchObject(accepted.includes(status) ? { result: 0 } : { result: 1, reason: 'tcb-refused' });
  });

  it('never accepts a revoked platform, whatever the policy says', () => {
    const outcome = judge((world) => { world.tcbInfo.tcbLevels[0]!.tcbStatus = 'Revoked'; }, { acceptedStatuses: tcbStatuses });
    expect(outcome.reason).toBe('tcb-refused');
  });

  it('judges a platform by the best level that it reaches', () => {
    const components = (change: (svn: number) => number) => (world: TestWorld): void => {
      world.pck.platform!.components = world.pck.platform!.components.map(change);
    };
    expect(judge(components((svn) => Math.max(0, svn - 1))).sentence).toContain('OutOfDate');
    expect(judge(components((svn) => Math.max(0, svn - 2))).reason).toBe('tcb-refused');
    expect(judge(components(() => 0))).toMatchObject({ result: 1, reason: 'tcb-not-listed' });
    expect(judge((world) => { world.pck.platform!.pceSvn = 12; }).sentence).toContain('OutOfDate');
  });

  it('counts an outdated quoting enclave against a platform that is up to date', () => {
    expect(judge((world) => { world.quote.qeReport.securityVersion = 9; }, { acceptedStatuses: tcbPolicies.standard }).reason).toBe('tcb-refused');
    expect(judge((world) => { world.quote.qeReport.securityVersion = 9; }).sentence).toContain('OutOfDate');
    expect(judge((world) => { world.quote.qeReport.securityVersion = 1; }).reason).toBe('tcb-not-listed');
  });
});

describe('collateral', () => {
  const cases: [string, (world: TestWorld) => void, (built: BuiltWorld) => void, Reason][] = [
    ['none at all', () => undefined, (built) => { built.files = []; }, 'collateral-missing'],
    ['no list of the root', () => undefined, without('rootCrl.der'), 'collateral-missing'],
    ['no list of the platforms', () => undefined, without('pckCrl.pem'), 'collateral-missing'],
    ['no TCB info', () => undefined, without('tcbInfo.json'), 'collateral-missing'],
    ['no QE identity', () => undefined, without('qeIdentity.json'), 'collateral-missing'],
    ['no issuer chain', () => undefined, without('tcbInfoIssuerChain.txt'), 'collateral-missing'],
    ['TCB info of another platform', (world) => { world.tcbInfo.fmspc = '00906EA10000'; }, () => undefined, 'collateral-missing'],
    ['TCB info of another PCE', (world) => { world.tcbInfo.pceId = '0001'; }, () => undefined, 'collateral-missing'],
    ['a list of the root that has expired', (world) => { world.rootCrl.nextUpdate = days(-1); }, () => undefined, 'collateral-stale'],
    ['a list of the platforms that has expired', (world) => { world.pckCrl.nextUpdate = days(-1); }, () => undefined, 'collateral-stale'],
    ['a list of the platforms of the future', (world) => { world.pckCrl.thisUpdate = days(1); }, () => undefined, 'collateral-stale'],
    ['TCB info that has expired', (world) => { world.tcbInfo.nextUpdate = iso(-1); }, () => undefined, 'collateral-stale'],
    ['TCB info of the future', (world) => { world.tcbInfo.issueDate = iso(1); }, () => undefined, 'collateral-stale'],
    ['QE identity that has expired', (world) => { world.qeIdentity.nextUpdate = iso(-1); }, () => undefined, 'collateral-stale'],
    ['a list of the root that the root did not sign', (world) => { world.rootCrl.signer = keys.stranger; }, () => undefined, 'collateral-forged'],
    ['a list of the platforms that their authority did not sign', (world) => { world.pckCrl.signer = keys.stranger; }, () => undefined, 'collateral-forged'],
    ['TCB info that nobody signed', (world) => { world.documentSigner = keys.stranger; }, () => undefined, 'collateral-forged'],
    ['documents that a platform’s key signed', (world) => { world.documentSigner = keys.pck; }, () => undefined, 'collateral-forged'],
    ['a signing certificate that the root did not sign', (world) => { world.tcbSigning.signer = keys.stranger; }, () => undefined, 'collateral-missing'],
    ['a signing certificate that is revoked', (world) => { world.rootCrl.revoked = [world.tcbSigning.serial]; }, () => undefined, 'collateral-missing'],
    ['a signing certificate that has expired', (world) => { world.tcbSigning.notAfter = days(-1); }, () => undefined, 'collateral-missing'],
    ['TCB info that is cut off', () => undefined, (built) => { const file = built.files.find(({ name }) => name === 'tcbInfo.json')!; file.bytes = file.bytes.subarray(0, 500); }, 'collateral-unreadable'],
    ['TCB info with a status that nobody knows', (world) => { world.tcbInfo.tcbLevels[0]!.tcbStatus = 'Odd'; }, () => undefined, 'collateral-unreadable'],
    ['TCB info of a later version', (world) => { world.tcbInfo.version = 4; }, () => undefined, 'collateral-unreadable'],
  ];
  it.each(cases)('is never a reason to vote: %s', (_name, change, after, reason) => {
    expect(judge(change, {}, after)).toMatchObject({ kind: 'no-vote', result: null, reason });
  });

  it('may have a status that nobody knows in a level that the platform does not have', () => {
    expect(judge((world) => { world.tcbInfo.tcbLevels[1]!.tcbStatus = 'Odd'; }).reason).toBe('verified');
  });

  it('may hold older and foreign files beside the right ones', () => {
    const old = makeTestWorld(keys, days(-200));
    const foreign = makeTestWorld(makeTestKeys(), date);
    const outcome = judge(undefined, {}, (built) => {
      const others = [old, foreign].flatMap((world, n) => buildWorld(world).files.map(({ name, bytes }) => ({ name: `${n}-${name}`, bytes })));
      built.files = [...others, ...built.files, { name: 'notes.txt', bytes: Buffer.from('fetched in March') }];
    });
    expect(outcome.reason).toBe('verified');
    expect(outcome.collateralFiles).toContain('tcbInfo.json');
  });

  it('may be hex and come with other line ends', () => {
    const outcome = judge(undefined, {}, (built) => {
      built.files = built.files.map(({ name, bytes }) => (name === 'rootCrl.der' ? { name, bytes: Buffer.from(`${bytes.toString('hex')}\n`) }
        : name.endsWith('.pem') ? { name, bytes: Buffer.from(bytes.toString().replaceAll('\n', '\r\n')) } : { name, bytes }));
    });
    expect(outcome.reason).toBe('verified');
  });

  it('is not taken from an intermediate that may not sign lists', () => {
    expect(judge((world) => { world.pckCrl.issuer = testNames.root; world.pckCrl.signer = keys.platformCa; }).kind).toBe('no-vote');
  });
});
