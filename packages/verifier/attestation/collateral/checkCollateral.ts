import { validityFault, rootFault, issueFault } from '../certificates/verifyChain.ts';
import type { Certificate } from '../certificates/certificate.ts';
import type { TrustRoot } from '../certificates/trustRoot.ts';
import { crlAddress, qeIdentityAddress, tcbInfoAddress } from './addresses.ts';
import { chooseCrl, type Chosen } from './chooseCrl.ts';
import { chooseQeIdentity, chooseTcbInfo, type Judges } from './chooseDocument.ts';
import type { Collateral } from './collateral.ts';
import { readCollateralFolder } from './readCollateralFolder.ts';

/** Status of one collateral item that votes depend on. */
export interface CollateralItem {
  what: string;
  state: 'good' | 'missing' | 'stale' | 'forged' | 'unreadable';
  files: readonly string[];
  /** Issue date, ISO 8601; null if no valid item exists. */
  issued: string | null;
  /** Date by which a newer version is due, ISO 8601; null if no valid item exists. */
  validUntil: string | null;
  /** A sentence for operators: the item's validity, or the problem and its fix. */
  sentence: string;
}

export interface CollateralReport {
  /** True if attestations of every platform in `platforms` can be verified at the date. */
  complete: boolean;
  /** Earliest expiry among the good items, ISO 8601; null if no item is good. */
  validUntil: string | null;
  items: readonly CollateralItem[];
  /** FMSPCs of the platforms that have valid TCB info. */
  platforms: readonly string[];
}

const day = 86_400_000;

/**
 * Checks the collateral in a folder at a date.
 * @throws CollateralFolderFault if the folder cannot be read
 * @example
 * const { complete, items } = await checkCollateral('/var/lib/vouch/collateral', new Date(), intelTrustRoot);
 */
export async function checkCollateral(folder: string, date: Date, trustRoot: TrustRoot): Promise<CollateralReport> {
  return reportCollateral(await readCollateralFolder(folder), date, trustRoot);
}

/** Does the same as checkCollateral for collateral that is already parsed. */
export function reportCollateral(collateral: Collateral, date: Date, trustRoot: TrustRoot): CollateralReport {
  const items = [...checkItems(collateral, date, trustRoot), ...collateral.faults.map(({ file, sentence }): CollateralItem =>
    ({ what: file, state: 'unreadable', files: [file], issued: null, validUntil: null, sentence }))];
  const ends = items.flatMap(({ validUntil }) => validUntil ?? []).sort();
  const tcb = items.filter(({ what, state }) => what.startsWith(tcbInfoOf) && state === 'good').map(({ what }) => what.slice(tcbInfoOf.length));
  return { complete: items.every(({ state }) => state === 'good'), validUntil: ends[0] ?? null, items, platforms: tcb };
}

const tcbInfoOf = 'TCB info of ';

function checkItems(collateral: Collateral, date: Date, trustRoot: TrustRoot): CollateralItem[] {
  const root = collateral.certificates.find((certificate) => rootFault(certificate, trustRoot) === null);
  if (root === undefined) return [lack('root certificate', `The collateral does not contain the trusted root certificate (SHA-256 ${trustRoot.fingerprint}): add an issuer chain, which ends with the root: ${qeIdentityAddress}.`)];
  const rootCrl = chooseCrl(collateral, root, date);
  const lists = [item(`revocation list of ${root.commonName}`, rootCrl, ({ thisUpdate, nextUpdate, file }) => ({ from: thisUpdate, until: nextUpdate, files: [file] }), date), ...checkPlatformCrls(collateral, root, date)];
  if ('fault' in rootCrl) return lists;
  return [...lists, ...checkDocuments(collateral, { root, rootCrl: rootCrl.found, date })];
}

/**
 * Checks the revocation list of each intermediate CA; at least one CA is required. A quote contains its intermediate CA certificate,
 * but this check has no quote, so the CA certificate must come from the issuer chain of the list.
 */
function checkPlatformCrls(collateral: Collateral, root: Certificate, date: Date): CollateralItem[] {
  const authorities = collateral.certificates.filter((certificate) =>
    certificate.authority && certificate.fingerprint !== root.fingerprint && issueFault(certificate, root) === null && validityFault(certificate, date) === null);
  const unique = [...new Map(authorities.map((authority) => [authority.fingerprint, authority])).values()];
  if (unique.length === 0) return [lack('revocation list of platforms', `The certificate of “Intel SGX PCK Platform CA” or “Intel SGX PCK Processor CA” is missing: add the issuer chain that comes with the PCK revocation list: ${crlAddress('Intel SGX PCK Platform CA')}.`)];
  return unique.map((authority) =>
    item(`revocation list of ${authority.commonName}`, chooseCrl(collateral, authority, date), ({ thisUpdate, nextUpdate, file }) => ({ from: thisUpdate, until: nextUpdate, files: [file] }), date));
}

function checkDocuments(collateral: Collateral, judges: Judges): CollateralItem[] {
  const until = ({ document, signer }: { document: { file: string; body: { issueDate: number; nextUpdate: number } }; signer: { file: string } }): Found =>
    ({ from: document.body.issueDate, until: document.body.nextUpdate, files: [document.file, signer.file] });
  const identity = item('identity of the quoting enclave', chooseQeIdentity(collateral, judges), until, judges.date);
  const platforms = [...new Map(collateral.tcbInfos.map(({ body }) => [`${body.fmspc}/${body.pceId}`, body])).values()];
  if (platforms.length === 0) return [identity, lack('TCB info', `The TCB info is missing: fetch it for the FMSPC of each platform whose quotes this node judges, from ${tcbInfoAddress('<FMSPC>')}.`)];
  return [identity, ...platforms.map(({ fmspc, pceId }) => item(`${tcbInfoOf}${fmspc}`, chooseTcbInfo(collateral, fmspc, pceId, judges), until, judges.date))];
}

interface Found {
  from: number;
  until: number;
  files: readonly string[];
}

function item<Thing>(what: string, chosen: Chosen<Thing>, found: (thing: Thing) => Found, date: Date): CollateralItem {
  if ('fault' in chosen) {
    const { reason, files, sentence } = chosen.fault;
    return { what, state: statesByReason[reason], files, issued: null, validUntil: null, sentence };
  }
  const { from, until, files } = found(chosen.found);
  const validUntil = new Date(until).toISOString();
  return { what, state: 'good', files, issued: new Date(from).toISOString(), validUntil, sentence: `The ${what} (${files.join(', ')}) is valid until ${validUntil}, ${Math.floor((until - date.getTime()) / day)} days.` };
}

const statesByReason = {
  'collateral-missing': 'missing', 'collateral-stale': 'stale', 'collateral-forged': 'forged', 'collateral-unreadable': 'unreadable',
} as const;

function lack(what: string, sentence: string): CollateralItem {
  return { what, state: 'missing', files: [], issued: null, validUntil: null, sentence };
}
