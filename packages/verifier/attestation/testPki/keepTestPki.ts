import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../certificates/parseCertificate.ts';
import type { TrustRoot } from '../certificates/trustRoot.ts';
import { JsonFields } from '../collateral/jsonFields.ts';
import { parseTestKey, writeTestKey } from './keys.ts';
import { makeCertificate } from './makeCertificate.ts';
import { makeTestKeys, makeTestWorld, type TestKeys } from './makeTestWorld.ts';
import { buildWorld, infoOf, type TestWorld } from './testWorld.ts';

/** Attestations that a test reporter can post. The verdicts hold for the standard policy without an allow-list. */
export type TestAttestation = 'good' | 'not a quote' | 'debugged' | 'forged';

/** Expected vote for each kind of test attestation. */
export const verdictOf: Readonly<Record<TestAttestation, 0 | 1 | 2>> = { good: 0, 'not a quote': 1, debugged: 1, forged: 2 };

/** A test PKI stored in a folder. The nodes of a local chain trust its root and read its collateral. */
export interface TestPki {
  trustRoot: TrustRoot;
  /** Path for `attestation.collateral_path`. */
  collateralFolder: string;
  /** Writes collateral for another date, for example after a test advanced the chain's clock. */
  renewCollateral(date: Date): Promise<void>;
  /**
   * Creates an info to post. Different report data gives a different info.
   * @param reportData up to 64 bytes
   */
  makeInfo(kind: TestAttestation, reportData: Uint8Array): string;
}

const certificateNames = ['root', 'platformCa', 'pck', 'tcbSigning'] as const;
const keyNames = [...certificateNames, 'attestation', 'stranger'] as const;

/**
 * Opens the test PKI in a folder, or creates one, and writes collateral for the date. Certificates are valid from one year before
 * the creation date to seven years after it, collateral for 29 days. Use a test PKI only for local chains and tests: anyone who can
 * read the folder can create quotes that verify against its trust root.
 */
export async function keepTestPki(folder: string, date: Date): Promise<TestPki> {
  const kept = (await openKept(folder)) ?? (await makeKept(folder, date));
  const collateralFolder = join(folder, 'collateral');
  const worldAt = (at: Date): TestWorld => {
    const world = makeTestWorld(kept.keys, at);
    for (const name of certificateNames) world[name].der = kept.certificates[name];
    return world;
  };
  const renewCollateral = async (at: Date): Promise<void> => {
    await mkdir(collateralFolder, { recursive: true });
    for (const { name, bytes } of buildWorld(worldAt(at)).files) {
      // Nodes can read the folder at any time, so each file is written under another name and then renamed.
      const unfinished = join(folder, `${name}.unfinished`);
      await writeFile(unfinished, bytes);
      await rename(unfinished, join(collateralFolder, name));
    }
  };
  await renewCollateral(date);
  return {
    trustRoot: { fingerprint: sha256(kept.certificates.root) }, collateralFolder, renewCollateral,
    makeInfo: (kind, reportData) => makeInfo(worldAt(date), kind, Buffer.from(reportData)),
  };
}

/** Creates an info to post from a world, whose quote it changes. @param reportData up to 64 bytes */
export function makeInfo(world: TestWorld, kind: TestAttestation, reportData: Buffer): string {
  if (reportData.length > 64) throw new Error(`report data of ${reportData.length} bytes does not fit into 64`);
  if (kind === 'not a quote') return infoOf(Buffer.concat([Buffer.from('no quote '), reportData]));
  world.quote.report.reportData = Buffer.concat([reportData, Buffer.alloc(64 - reportData.length)]).toString('hex');
  if (kind === 'debugged') world.quote.report.attributes = `07${world.quote.report.attributes.slice(2)}`;
  if (kind === 'forged') world.tampering.signature = Buffer.alloc(64, 1);
  return buildWorld(world).info;
}

interface Kept {
  keys: TestKeys;
  certificates: Record<(typeof certificateNames)[number], Buffer>;
}

const keptFile = 'pki.json';

async function makeKept(folder: string, date: Date): Promise<Kept> {
  const keys = makeTestKeys();
  const world = makeTestWorld(keys, date);
  const certificates = { root: makeCertificate(world.root), platformCa: makeCertificate(world.platformCa), pck: makeCertificate(world.pck), tcbSigning: makeCertificate(world.tcbSigning) };
  const written = {
    keys: Object.fromEntries(keyNames.map((name) => [name, writeTestKey(keys[name])])),
    certificates: Object.fromEntries(certificateNames.map((name) => [name, certificates[name].toString('base64')])),
  };
  await rm(join(folder, 'collateral'), { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `${keptFile}.unfinished`);
  await writeFile(unfinished, JSON.stringify(written, null, 2), { mode: 0o600 });
  await rename(unfinished, join(folder, keptFile));
  return { keys, certificates };
}

/** Returns null if the folder has no PKI yet. A damaged file is an error: nodes that trust the old root would reject a new root. */
async function openKept(folder: string): Promise<Kept | null> {
  const text = await readFile(join(folder, keptFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const file = new JsonFields(JSON.parse(text), keptFile);
  const [keys, certificates] = [new JsonFields(file.value('keys'), 'the keys'), new JsonFields(file.value('certificates'), 'the certificates')];
  const key = (name: (typeof keyNames)[number]) => parseTestKey(keys.text(name));
  const certificate = (name: (typeof certificateNames)[number]): Buffer => Buffer.from(certificates.text(name), 'base64');
  return {
    keys: { root: key('root'), platformCa: key('platformCa'), pck: key('pck'), tcbSigning: key('tcbSigning'), attestation: key('attestation'), stranger: key('stranger') },
    certificates: { root: certificate('root'), platformCa: certificate('platformCa'), pck: certificate('pck'), tcbSigning: certificate('tcbSigning') },
  };
}
