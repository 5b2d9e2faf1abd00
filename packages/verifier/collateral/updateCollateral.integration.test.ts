import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { intelTrustRoot, type TrustRoot } from '../attestation/certificates/trustRoot.ts';
import { checkCollateral } from '../attestation/collateral/checkCollateral.ts';
import { maxCollateralFileBytes, readCollateralFolder } from '../attestation/collateral/readCollateralFolder.ts';
import { defaultPolicy } from '../attestation/policy/policy.ts';
import { makeTestKeys, makeTestWorld, type TestKeys } from '../attestation/testPki/makeTestWorld.ts';
import { buildWorld, type BuiltWorld, type TestWorld } from '../attestation/testPki/testWorld.ts';
import { verifyAttestation } from '../attestation/verifyAttestation.ts';
import { sharedFolder } from '../testing/runVerifier.ts';
import { CollateralService, servedFiles, type Answer } from '../testing/collateralService.ts';
import { neededParts } from './neededParts.ts';
import { updateCollateral, type PartResult } from './updateCollateral.ts';

const keys = makeTestKeys();
const date = new Date('2026-03-01T12:00:00Z');
const days = (count: number): Date => new Date(date.getTime() + count * 86_400_000);
const fmspc = '00a067110000';
const platform = { fmspcs: new Set([fmspc]), authorities: new Set(['Intel SGX PCK Platform CA']) };
/** Certificates are made once: each signature differs, and a trust root is identified by the hash of its certificate. */
const { certificates, trustRoot } = buildWorld(makeTestWorld(keys, date));

let service: CollateralService;
beforeAll(async () => { service = await CollateralService.start(); });
afterAll(() => service.stop());

const root = sharedFolder();
let folder: string;
let made = 0;
beforeEach(() => { folder = join(root, String(++made), 'collateral'); service.asked.length = 0; });
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function world(at: Date, change: (world: TestWorld) => void = () => undefined, own: TestKeys = keys): BuiltWorld {
  const made = makeTestWorld(own, at);
  if (own === keys) for (const name of ['root', 'platformCa', 'pck', 'tcbSigning'] as const) made[name].der = certificates[name];
  change(made);
  return buildWorld(made);
}

function serve(at = date, change?: (world: TestWorld) => void, own?: TestKeys): BuiltWorld {
  const built = world(at, change, own);
  service.serve(servedFiles(built.files, fmspc));
  return built;
}

function update(at = date, trusted: TrustRoot = trustRoot, timers = systemInterfaces.timers, into = folder): Promise<PartResult[]> {
  return updateCollateral({ folder: into, service: service.url, parts: neededParts(platform), trustRoot: trusted, date: at, timers, signal: new AbortController().signal });
}

const states = (results: readonly PartResult[]): string[] => results.map(({ state }) => state);
/** Returns file names and contents, including hidden files, because an update must not leave any. */
const content = (): Record<string, string> => Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]));
const all = ['updated', 'updated', 'not offered', 'updated', 'updated'];

describe('an update of collateral', () => {
  it('fills an empty folder with all that an attestation needs', async () => {
    const built = serve();
    const results = await update();
    expect(states(results)).toEqual(all);
    expect(results[4]).toMatchObject({ file: `tcbInfo-${fmspc}.json`, issued: days(-1).toISOString(), next_update: days(29).toISOString() });
    expect(await checkCollateral(folder, date, trustRoot)).toMatchObject({ complete: true, platforms: [fmspc] });
    expect(verifyAttestation(built.info, { collateral: await readCollateralFolder(folder), policy: defaultPolicy, trustRoot, date })).toMatchObject({ kind: 'valid' });
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o444).toBe(0o444);
  });

  it('writes nothing where nothing is newer, and what is newer in the place of the old', async () => {
    serve();
    await update();
    const inodes = (): number[] => readdirSync(folder).map((name) => statSync(join(folder, name)).ino);
    const [before, names] = [inodes(), readdirSync(folder)];
    expect(states(await update())).toEqual(['unchanged', 'unchanged', 'not offered', 'unchanged', 'unchanged']);
    expect(inodes()).toEqual(before);
    serve(days(10));
    expect(states(await update(days(10)))).toEqual(all);
    expect(readdirSync(folder)).toEqual(names);
    expect(await checkCollateral(folder, days(38), trustRoot)).toMatchObject({ complete: true });
  });

  it('keeps what is newer here, and says that the service lags', async () => {
    serve(days(5));
    await update(days(5));
    const before = content();
    serve();
    const results = await update(days(5));
    expect(states(results)).toEqual(['unchanged', 'unchanged', 'not offered', 'unchanged', 'unchanged']);
    expect(results[0]?.sentence).toContain('sent an older version');
    expect(content()).toEqual(before);
  });

  it('never leaves a reader without what it needs while the signer of the documents changes', async () => {
    const other = { ...makeTestKeys(), root: keys.root, platformCa: keys.platformCa, pck: keys.pck, attestation: keys.attestation };
    const rotated = (made: TestWorld): void => {
      made.tcbSigning = { ...made.tcbSigning, serial: '45', key: other.tcbSigning };
      delete made.tcbSigning.der;
      made.documentSigner = other.tcbSigning;
    };
    const { info } = serve(new Date(date.getTime() - 7_200_000));
    await update();
    const done = new AbortController();
    const verdicts = new Set<string>();
    const reader = (async () => {
      while (!done.signal.aborted) verdicts.add(verifyAttestation(info, { collateral: await readCollateralFolder(folder), policy: defaultPolicy, trustRoot, date }).reason);
    })();
    try {
      for (let round = 1; round <= 6; round += 1) {
        serve(new Date(date.getTime() + round * 1_000 - 3_600_000), round % 2 === 1 ? rotated : undefined);
        expect(states(await update()).slice(3)).toEqual(['updated', 'updated']);
      }
    } finally {
      done.abort();
      await reader;
    }
    expect([...verdicts]).toEqual(['verified']);
  });

  it('is read whole where the signer changes between the list of the files and their contents', async () => {
    const { info } = serve(new Date(date.getTime() - 7_200_000));
    await update();
    const next = `${folder}-next`;
    cpSync(folder, next, { recursive: true });
    const other = makeTestKeys();
    serve(new Date(date.getTime() - 3_600_000), (made) => {
      made.tcbSigning = { ...made.tcbSigning, serial: '45', key: other.tcbSigning };
      delete made.tcbSigning.der;
      made.documentSigner = other.tcbSigning;
    });
    expect(states(await update(date, trustRoot, systemInterfaces.timers, next)).slice(3)).toEqual(['updated', 'updated']);
    // The first file in the list is a pipe: its reader waits until the pipe is opened for writing.
    const pipe = join(folder, '0');
    execFileSync('mkfifo', [pipe]);
    const reading = readCollateralFolder(folder);
    const writer = await open(pipe, 'w');
    cpSync(next, folder, { recursive: true });
    rmSync(pipe);
    await writer.close();
    expect(verifyAttestation(info, { collateral: await reading, policy: defaultPolicy, trustRoot, date }).reason).toBe('verified');
  });
});

/** Ways in which a service may lie; the third item lists the files that must be rejected. */
const lies: [string, (world: TestWorld) => void, string[]][] = [
  ['documents of another signer', (made) => { made.documentSigner = keys.stranger; }, ['qeIdentity.json', `tcbInfo-${fmspc}.json`]],
  ['a list of the root that another signed', (made) => { made.rootCrl.signer = keys.stranger; }, ['rootCrl.crl']],
  ['a list of platforms that another signed', (made) => { made.pckCrl.signer = keys.stranger; }, ['pckCrl-platform.crl']],
  ['TCB info of another platform', (made) => { made.tcbInfo.fmspc = '00A067110001'; }, [`tcbInfo-${fmspc}.json`]],
  ['documents that are over', (made) => { made.tcbInfo.nextUpdate = made.qeIdentity.nextUpdate = days(9).toISOString(); }, ['qeIdentity.json', `tcbInfo-${fmspc}.json`]],
  ['documents of the future', (made) => { made.tcbInfo.issueDate = made.qeIdentity.issueDate = days(11).toISOString(); }, ['qeIdentity.json', `tcbInfo-${fmspc}.json`]],
  ['lists that are over', (made) => { made.rootCrl.nextUpdate = made.pckCrl.nextUpdate = days(9); }, ['rootCrl.crl', 'pckCrl-platform.crl']],
  ['documents whose signer is revoked', (made) => { made.rootCrl.revoked = ['44']; }, ['qeIdentity.json', `tcbInfo-${fmspc}.json`]],
  ['a list of platforms whose signer is revoked', (made) => { made.rootCrl.revoked = ['22']; }, ['pckCrl-platform.crl']],
];

describe('a service that lies', () => {
  it.each(lies)('with %s has just these refused, and the old files stay', async (_what, change, failed) => {
    serve();
    await update();
    const before = content();
    serve(days(10), change);
    const results = await update(days(10));
    expect(results.filter(({ state }) => state === 'failed').map(({ file }) => file)).toEqual(failed);
    const after = content();
    for (const name of failed) expect(after[name], name).toBe(before[name]);
    for (const { file, state } of results) if (state === 'updated') expect(after[file], file).not.toBe(before[file]);
    expect(Object.keys(after).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('about all of it, with a root of its own, changes nothing', async () => {
    serve();
    await update();
    const before = content();
    serve(days(10), undefined, makeTestKeys());
    expect(states(await update(days(10)))).toEqual(['failed', 'failed', 'failed', 'failed', 'failed'].map((state, at) => (at === 2 ? 'not offered' : state)));
    expect(content()).toEqual(before);
  });

  it('leaves nothing behind where there was nothing', async () => {
    serve(date, undefined, makeTestKeys());
    expect(states(await update())).toEqual(['failed', 'failed', 'not offered', 'failed', 'failed']);
    expect(readdirSync(folder)).toEqual([]);
  });
});

const tcb = `/tcb?fmspc=${fmspc}`;
/** Returns an answer with a valid issuer chain, so that only the body can be at fault. */
const chained = (body: string | Buffer): Answer => ({ headers: { 'TCB-Info-Issuer-Chain': encodeURIComponent(decodeURIComponent(world(days(10)).files.find(({ name }) => name === 'tcbInfoIssuerChain.txt')!.bytes.toString())) }, body });
const troubles: [string, () => Answer, RegExp][] = [
  ['answers with an error', () => ({ status: 503, body: 'busy' }), /HTTP 503/],
  ['sends elsewhere', () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }), /HTTP 302/],
  ['answers with a page', () => chained('<html>sign in</html>'), /is not a TCB info/],
  ['answers with nothing', () => chained(''), /is not a TCB info/],
  ['answers with another document', () => chained(world(days(10)).files.find(({ name }) => name === 'qeIdentity.json')!.bytes), /is not a TCB info/],
  ['answers with JSON that is too deep', () => chained('['.repeat(100_000)), /is not a TCB info/],
  ['sends no issuer chain', () => ({ body: world(days(10)).files.find(({ name }) => name === 'tcbInfo.json')!.bytes }), /no issuer chain/],
  ['sends garbage as issuer chain', () => ({ headers: { 'TCB-Info-Issuer-Chain': '%zz' }, body: world(days(10)).files.find(({ name }) => name === 'tcbInfo.json')!.bytes }), /issuer chain cannot be read/],
  ['sends more than any document has', () => chained(Buffer.alloc(maxCollateralFileBytes + 1, 0x20)), /more than 4194304 bytes/],
  ['never stops sending', () => (_request, response) => {
    response.writeHead(200);
    const send = (): void => { while (!response.destroyed && response.write(Buffer.alloc(65_536))); };
    response.on('drain', send);
    send();
  }, /more than 4194304 bytes/],
  ['breaks off', () => (_request, response) => { response.writeHead(200, { 'content-length': '1000' }); response.write('{"tcbInfo":'); setImmediate(() => response.destroy()); }, /127\.0\.0\.1/],
  ['hangs up', () => (request) => void request.socket.destroy(), /127\.0\.0\.1/],
];

describe('a service that', () => {
  it.each(troubles)('%s changes nothing, and what else it gives is taken', async (_what, answer, sentence) => {
    serve();
    await update();
    const before = content();
    serve(days(10));
    service.answers.set(tcb, answer());
    const results = await update(days(10));
    expect(states(results)).toEqual([...all.slice(0, 4), 'failed']);
    expect(results[4]?.sentence).toMatch(sentence);
    expect(results[4]?.sentence).toContain(`stays in use, valid until ${days(29).toISOString()}`);
    expect(content()[`tcbInfo-${fmspc}.json`]).toBe(before[`tcbInfo-${fmspc}.json`]);
    expect(await checkCollateral(folder, days(10), trustRoot)).toMatchObject({ complete: true });
  });

  it('is silent is asked once, not for each part', async () => {
    serve();
    service.answers.set('/rootcacrl', () => undefined);
    // Waiting times are divided by 300, so the limit of 30 s takes 0.1 s.
    const results = await update(date, trustRoot, { sleep: (milliseconds, ...rest) => systemInterfaces.timers.sleep(milliseconds / 300, ...rest) });
    expect(results.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('did not answer within 30 s'), ...Array.from({ length: 4 }, () => expect.stringContaining('was not requested') as string)]);
    expect(service.asked).toEqual(['/rootcacrl']);
  });
});

it('a file that cannot be written leaves the others whole', async () => {
  serve();
  mkdirSync(join(folder, 'qeIdentity.json'), { recursive: true });
  const results = await update();
  expect(states(results)).toEqual(['updated', 'updated', 'not offered', 'failed', 'updated']);
  expect(results[3]?.sentence).toContain('cannot be written (EISDIR)');
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

it('what Intel’s service answered for a real processor is taken under Intel’s root, and judges its quote', async () => {
  const real = (name: string): Buffer => readFileSync(fileURLToPath(new URL(`../attestation/fixtures/intelQuote/${name}`, import.meta.url)));
  service.serve({
    rootCrl: real('collateral/rootCrl.der'), pckCrl: real('collateral/pckCrl.der'), pckCrlChain: real('collateral/pckCrlIssuerChain.pem').toString(), tcbInfo: real('collateral/tcbInfo.json'),
    tcbInfoChain: real('collateral/tcbInfoIssuerChain.pem').toString(), qeIdentity: real('collateral/qeIdentity.json'), qeIdentityChain: real('collateral/qeIdentityIssuerChain.pem').toString(), fmspc, ca: 'processor',
  });
  const issued = new Date('2025-06-19T10:56:11Z');
  // An additional file that an operator added must not interfere with the fetched files.
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pckCrl.der'), real('collateral/pckCrl.der'));
  expect(states(await update(issued, intelTrustRoot))).toEqual(['updated', 'failed', 'updated', 'updated', 'updated']);
  const judged = verifyAttestation(real('info.txt').toString().trim(), { collateral: await readCollateralFolder(folder), policy: defaultPolicy, trustRoot: intelTrustRoot, date: issued });
  expect(judged).toMatchObject({ kind: 'valid' });
  expect(states(await update(new Date('2025-08-01T00:00:00Z'), intelTrustRoot))).toEqual(['unchanged', 'failed', 'failed', 'failed', 'failed']);
});
