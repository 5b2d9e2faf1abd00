import { isSignedBy, isWithin, type Certificate, type Crl } from '../certificates/certificate.ts';
import { issueFault, tcbSigningName } from '../certificates/verifyChain.ts';
import { chooseCurrent, missing, type Chosen } from './chooseCrl.ts';
import { qeIdentityAddress, tcbInfoAddress } from './addresses.ts';
import type { Collateral, Held, SignedDocument } from './collateral.ts';
import type { QeIdentity } from './qeIdentity.ts';
import type { TcbInfo } from './tcbInfo.ts';

/** Inputs for verifying documents: the trusted root, already verified, and its revocation list. */
export interface Judges {
  root: Certificate;
  rootCrl: Crl;
  date: Date;
}

export type ChosenDocument<Body> = { document: Held<SignedDocument<Body>>; signer: Held<Certificate> };

/** Chooses the TCB info for a platform type (FMSPC and PCE id). */
export function chooseTcbInfo(collateral: Collateral, fmspc: string, pceId: string, judges: Judges): Chosen<ChosenDocument<TcbInfo>> {
  const candidates = collateral.tcbInfos.filter(({ body }) => body.fmspc === fmspc && body.pceId === pceId);
  return chooseDocument({ what: `TCB info of the platforms ${fmspc} (PCE ${pceId})`, address: tcbInfoAddress(fmspc) }, candidates, collateral, judges);
}

export function chooseQeIdentity(collateral: Collateral, judges: Judges): Chosen<ChosenDocument<QeIdentity>> {
  return chooseDocument({ what: 'identity of the quoting enclave', address: qeIdentityAddress }, collateral.qeIdentities, collateral, judges);
}

function chooseDocument<Body extends { issueDate: number; nextUpdate: number }>(
  wanted: { what: string; address: string }, candidates: readonly Held<SignedDocument<Body>>[], collateral: Collateral, judges: Judges,
): Chosen<ChosenDocument<Body>> {
  if (candidates.length === 0) return { fault: missing(wanted.what, wanted.address, collateral.faults) };
  const signers = tcbSigners(collateral, judges);
  if (signers.length === 0) return { fault: missing(`valid certificate “${tcbSigningName}” for the ${wanted.what}`, wanted.address, collateral.faults) };
  const signerOf = ({ signed }: SignedDocument<Body>): Held<Certificate> | undefined => signers.find((signer) => isSignedBy(signed, signer));
  const authentic = candidates.filter((document) => signerOf(document) !== undefined);
  const chosen = chooseCurrent(wanted, candidates, authentic, ({ body }) => [body.issueDate, body.nextUpdate], judges.date);
  // A bundle must include the signers' files too: without them, verifying the bundle would find another reason.
  if ('fault' in chosen) return { fault: { ...chosen.fault, files: [...chosen.fault.files, ...signers.map(({ file }) => file)] } };
  return { found: { document: chosen.found, signer: signerOf(chosen.found) as Held<Certificate> } };
}

/** Returns the TCB signing certificates that the root issued, that are valid at the date and that are not revoked. */
function tcbSigners({ certificates }: Collateral, { root, rootCrl, date }: Judges): Held<Certificate>[] {
  return certificates.filter((certificate) =>
    certificate.commonName === tcbSigningName && !certificate.authority && isWithin(date, certificate)
    && !rootCrl.revoked.has(certificate.serial) && issueFault(certificate, root) === null);
}
