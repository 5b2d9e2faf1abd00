import { join } from 'node:path';
import type { Connect } from '@vouch/chain/rpc/endpoint';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import type { Certificate, Crl } from '../attestation/certificates/certificate.ts';
import type { TrustRoot } from '../attestation/certificates/trustRoot.ts';
import { writePem } from '../attestation/certificates/writePem.ts';
import { chooseCrl } from '../attestation/collateral/chooseCrl.ts';
import type { Collateral } from '../attestation/collateral/collateral.ts';
import { parseCollateral } from '../attestation/collateral/parseCollateral.ts';
import { readCollateralFolder } from '../attestation/collateral/readCollateralFolder.ts';
import { ExchangeFault } from '../reporting/exchange.ts';
import { downloadPart, PartRefused, type Downloaded } from './downloadPart.ts';
import { findRoot, judgePart, type AuthenticPart } from './judgePart.ts';
import type { NeededPart } from './neededParts.ts';
import { requestOf, type Part, type PartRequest } from './service.ts';

interface UpdateOptions {
  /** Collateral folder, created if missing; absolute, or relative to the working folder. */
  folder: string;
  /** URL of the service. */
  service: string;
  parts: readonly NeededPart[];
  trustRoot: TrustRoot;
  /** The date at which the fetched parts must be valid. */
  date: Date;
  timers: Timers;
  signal: AbortSignal;
  /** Opens the HTTP connections; simulations replace the default, `openConnections`. */
  connect?: Connect | undefined;
}

/** The result for one part. A failed part leaves its old file unchanged. */
export interface PartResult {
  what: string;
  /** `not offered`: the service does not have the part, and no known platform needs it. */
  state: 'updated' | 'unchanged' | 'failed' | 'not offered';
  file: string;
  /** Issue and expiry date of the part now in the folder, ISO 8601; null if unknown. */
  issued: string | null;
  next_update: string | null;
  sentence: string;
}

type Fetched = { needed: NeededPart; request: PartRequest; collateral: Collateral | null; body: Buffer; fault: string; refused: boolean };

/**
 * Fetches collateral, authenticates each part by the trusted root, and writes the parts that are newer than the folder's. Files are
 * replaced atomically, the signer of a document before the document, so that the folder is usable for readers at any moment.
 * @throws CollateralFolderFault; the system's error when the folder cannot be created; the reason of `signal`
 */
export async function updateCollateral(options: UpdateOptions): Promise<PartResult[]> {
  const { folder, trustRoot, date } = options;
  await makeFolder(folder);
  const existing = await readCollateralFolder(folder);
  const fetched = await fetchParts(options);
  const certificates = [...fetched.flatMap(({ collateral }) => collateral?.certificates ?? []), ...existing.certificates];
  const root = findRoot(certificates, trustRoot);
  const results: PartResult[] = [];
  let rootCrl: Crl | null = null;
  for (const each of fetched) {
    // The root's revocation list comes first; the other parts are judged by its newest version.
    if (each.needed.part.kind !== 'root-crl' && root !== null && rootCrl === null) rootCrl = newestRootCrl(root, fetched, existing, date);
    results.push(await takePart(each, existing, { root, rootCrl, date }, options));
  }
  return results;
}

/** Downloads the parts. If the service does not answer, the remaining parts are not requested. */
async function fetchParts({ parts, service, timers, signal, connect }: UpdateOptions): Promise<Fetched[]> {
  const fetched: Fetched[] = [];
  let silent = '';
  for (const needed of parts) {
    const request = requestOf(needed.part, service);
    const none = { needed, request, collateral: null, body: Buffer.alloc(0), refused: false };
    const host = new URL(request.url).host;
    if (silent === host) {
      fetched.push({ ...none, fault: `${host} was not requested, because it did not answer an earlier request` });
      continue;
    }
    try {
      const downloaded = await downloadPart(request, timers, signal, connect);
      fetched.push({ ...none, body: downloaded.body, ...parseDownloaded(needed.part, request, downloaded) });
    } catch (error) {
      if (!(error instanceof ExchangeFault) && !(error instanceof PartRefused)) throw error;
      if (error instanceof ExchangeFault) silent = host;
      fetched.push({ ...none, fault: error.message, refused: error instanceof PartRefused });
    }
  }
  return fetched;
}

/** Parses an answer. The body must contain exactly the requested part, because votes will depend on the file. */
function parseDownloaded(part: Part, { file, what, chainHeaders }: PartRequest, { body, issuerChain }: Downloaded): { collateral: Collateral | null; fault: string } {
  const alone = parseCollateral([{ name: file, bytes: body }]);
  const [wanted, others] = part.kind === 'tcb-info' ? [alone.tcbInfos, [...alone.qeIdentities, ...alone.crls]]
    : part.kind === 'qe-identity' ? [alone.qeIdentities, [...alone.tcbInfos, ...alone.crls]]
      : [alone.crls, [...alone.tcbInfos, ...alone.qeIdentities]];
  if (wanted.length !== 1 || others.length > 0 || alone.certificates.length > 0) return { collateral: null, fault: `the answer is not a ${what}${alone.faults[0] === undefined ? '' : ` (${alone.faults[0].sentence})`}` };
  if (chainHeaders.length === 0) return { collateral: alone, fault: '' };
  if (issuerChain === null) return { collateral: null, fault: `the answer has no issuer chain in the header ${chainHeaders[0]}` };
  const withChain = parseCollateral([{ name: file, bytes: body }, { name: 'issuer chain', bytes: Buffer.from(issuerChain) }]);
  const [fault] = withChain.faults;
  return fault === undefined ? { collateral: withChain, fault: '' } : { collateral: null, fault: fault.sentence };
}

function newestRootCrl(root: Certificate, fetched: readonly Fetched[], existing: Collateral, date: Date): Crl | null {
  const crls = [...fetched.flatMap(({ needed, collateral }) => (needed.part.kind === 'root-crl' ? collateral?.crls ?? [] : [])), ...existing.crls];
  const chosen = chooseCrl({ ...existing, crls }, root, date);
  return 'found' in chosen ? chosen.found : null;
}

interface Grounds {
  root: Certificate | null;
  rootCrl: Crl | null;
  date: Date;
}

async function takePart({ needed: { part, optional }, request: { url, file, what }, collateral, body, fault, refused }: Fetched, existing: Collateral, { root, rootCrl, date }: Grounds, { folder, trustRoot }: UpdateOptions): Promise<PartResult> {
  const judge = (of: Collateral): ReturnType<typeof judgePart> => (root === null ? { fault: `No issuer chain ends at the trusted root (SHA-256 ${trustRoot.fingerprint}).` } : judgePart(part, of, { root, rootCrl, date }));
  const current = judge(existing);
  const before = 'found' in current ? current.found : null;
  const result = (state: PartResult['state'], shown: AuthenticPart | null, sentence: string): PartResult => ({
    what, state, file, issued: shown === null ? null : iso(shown.from), next_update: shown === null ? null : iso(shown.until), sentence,
  });
  const failed = (why: string): PartResult => result('failed', before, `The ${what} was not updated: ${why.replace(/\.$/, '')}.${before === null ? '' : ` The current version stays in use, valid until ${iso(before.until)}.`}`);
  if (collateral === null) {
    return refused && optional && before === null ? result('not offered', null, `The service does not offer the ${what}, and this folder does not need it: ${fault}.`) : failed(fault);
  }
  const came = judge(collateral);
  if ('fault' in came) return failed(`the answer of ${new URL(url).host} is not authentic. ${came.fault}`);
  const { found } = came;
  if (before !== null && found.fingerprint === before.fingerprint) return result('unchanged', before, `The ${what} is already the newest version, valid until ${iso(before.until)}.`);
  // A valid but older part is not stored: the service's cache may lag, or someone may want to hide a revocation.
  if (before !== null && found.from < before.from) return result('unchanged', before, `The ${what} of ${iso(before.from)} stays in use: ${new URL(url).host} sent an older version, of ${iso(found.from)}.`);
  try {
    if (found.signer !== null && root !== null) await writePart(folder, chainFile(found.signer), `${writePem('CERTIFICATE', found.signer.der)}${writePem('CERTIFICATE', root.der)}`);
    await writePart(folder, file, body);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return failed(`the folder ${folder} cannot be written (${String(error.code)})`);
  }
  return result('updated', found, `The ${what} was updated and is valid until ${iso(found.until)}.`);
}

/**
 * Writes a part. The file is readable for all users: collateral is not secret, and another user than the node's may fetch it. The temporary file
 * is hidden, so readers of the folder ignore it, and its name contains the process id, because two programs may write the folder.
 */
function writePart(folder: string, name: string, content: string | Uint8Array): Promise<void> {
  return writeFileAtomically(join(folder, name), content, { mode: 0o644, unfinished: join(folder, `.${name}.${process.pid}.unfinished`) });
}

/** File name of a signer's chain. The name differs per signer, so that documents of an old and a new signer can coexist during an update. */
function chainFile({ fingerprint }: Certificate): string {
  return `issuerChain-${fingerprint.slice(0, 16)}.pem`;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
