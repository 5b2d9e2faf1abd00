import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseChain } from '../attestation/certificates/parseChain.ts';
import type { TrustRoot } from '../attestation/certificates/trustRoot.ts';
import { pckAuthorities, verifyPckChain } from '../attestation/certificates/verifyChain.ts';
import { CollateralFolderFault, readCollateralFolder } from '../attestation/collateral/readCollateralFolder.ts';
import { decodeInfo, maxInfoCharacters } from '../attestation/decodeInfo.ts';
import { parseQuote } from '../attestation/quote/parseQuote.ts';
import { infosFolder } from '../state/nodeState.ts';
import type { Part } from './service.ts';

export interface NeededPart {
  part: Part;
  /** Whether no known platform needs the part, so that a service may lack it. */
  optional: boolean;
}

/** Platform types (FMSPCs), and names of the CAs that certify the platforms. */
export interface Platforms {
  fmspcs: ReadonlySet<string>;
  authorities: ReadonlySet<string>;
}

/** Number of newest attestation texts examined per node; each takes some milliseconds. */
const maxInfos = 200;
/** Maximum number of platform types; Intel has some dozens. */
export const maxPlatforms = 64;

/**
 * Finds the platforms of the quotes that nodes have stored, including quotes not yet verified. A quote counts only if its certificates
 * lead to the trusted root, because anyone may post a quote with any FMSPC.
 * @param stateFolders state folders of nodes; a missing folder counts as empty
 */
export async function seenPlatforms(stateFolders: readonly string[], trustRoot: TrustRoot, date: Date): Promise<Platforms> {
  const [fmspcs, authorities] = [new Set<string>(), new Set<string>()];
  for (const path of (await Promise.all(stateFolders.map(newestInfos))).flat()) {
    const info = await readFile(path, 'utf8').catch(() => '');
    const decoded = decodeInfo(info);
    const parsed = 'fault' in decoded ? decoded : parseQuote(decoded.quote);
    const read = 'fault' in parsed ? parsed : parseChain(parsed.quote.certificates);
    if ('fault' in read || verifyPckChain(read.chain, trustRoot, date) !== null) continue;
    fmspcs.add(read.platform.fmspc);
    authorities.add(read.chain.authority.commonName);
  }
  return { fmspcs, authorities };
}

async function newestInfos(stateFolder: string): Promise<string[]> {
  const folder = join(stateFolder, infosFolder);
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(names.map(async (name) => ({ path: join(folder, name), facts: await stat(join(folder, name)).catch(() => null) })));
  return files.flatMap(({ path, facts }) => (facts === null || facts.size > maxInfoCharacters ? [] : [{ path, at: facts.mtimeMs }])).toSorted((a, b) => b.at - a.at).slice(0, maxInfos).map(({ path }) => path);
}

/** Finds the platforms for which a folder already has collateral. */
export async function heldPlatforms(folder: string): Promise<Platforms> {
  try {
    const { tcbInfos, crls } = await readCollateralFolder(folder);
    return { fmspcs: new Set(tcbInfos.map(({ body }) => body.fmspc)), authorities: new Set(crls.map(({ issuerName }) => issuerName)) };
  } catch (error) {
    if (!(error instanceof CollateralFolderFault)) throw error;
    return { fmspcs: new Set(), authorities: new Set() };
  }
}

/** Returns all parts that the platforms need, the root's revocation list first. Parts of a CA that no platform uses are optional. */
export function neededParts(...platforms: readonly Platforms[]): NeededPart[] {
  const authorities = new Set(platforms.flatMap((each) => [...each.authorities]));
  const fmspcs = [...new Set(platforms.flatMap((each) => [...each.fmspcs]))].slice(0, maxPlatforms);
  return [
    { part: { kind: 'root-crl' }, optional: false },
    ...Object.values(pckAuthorities).map((authority): NeededPart => ({ part: { kind: 'pck-crl', authority }, optional: !authorities.has(authority) })),
    { part: { kind: 'qe-identity' }, optional: false },
    ...fmspcs.map((fmspc): NeededPart => ({ part: { kind: 'tcb-info', fmspc }, optional: false })),
  ];
}
