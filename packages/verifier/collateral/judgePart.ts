import type { Certificate } from '../attestation/certificates/certificate.ts';
import { issueFault, rootFault, validityFault } from '../attestation/certificates/verifyChain.ts';
import type { TrustRoot } from '../attestation/certificates/trustRoot.ts';
import { chooseCrl } from '../attestation/collateral/chooseCrl.ts';
import { chooseQeIdentity, chooseTcbInfo, type Judges } from '../attestation/collateral/chooseDocument.ts';
import type { Collateral } from '../attestation/collateral/collateral.ts';
import type { Part } from './service.ts';

/** An authenticated part: its issuer chain ends at the trusted root, its signature is correct, and it is in date. */
export interface AuthenticPart {
  /** When the part was issued and when the next one is due, in milliseconds since 1970. */
  from: number;
  until: number;
  /** SHA-256 of the signed bytes, lower-case hex. */
  fingerprint: string;
  /** The certificate below the root that signed the part; null for the root's own revocation list. */
  signer: Certificate | null;
}

type JudgedPart = { found: AuthenticPart } | { fault: string };

/** Finds the trusted root among certificates; null when it is missing. */
export function findRoot(certificates: readonly Certificate[], trustRoot: TrustRoot): Certificate | null {
  return certificates.find((certificate) => rootFault(certificate, trustRoot) === null) ?? null;
}

/** Finds the newest authentic version of a part. @param judges without the root's revocation list, only this list itself can be authenticated */
export function judgePart(part: Part, collateral: Collateral, judges: Omit<Judges, 'rootCrl'> & { rootCrl: Judges['rootCrl'] | null }): JudgedPart {
  const { root, rootCrl, date } = judges;
  if (part.kind === 'root-crl') return judgeCrl(collateral, root, null, date);
  if (rootCrl === null) return { fault: 'Without a valid revocation list of the root, no other part can be authenticated.' };
  if (part.kind === 'pck-crl') {
    const authority = collateral.certificates.find((certificate) => certificate.commonName === part.authority && certificate.authority
      && issueFault(certificate, root) === null && validityFault(certificate, date) === null && !rootCrl.revoked.has(certificate.serial));
    return authority === undefined ? { fault: `The issuer chain has no valid certificate of “${part.authority}”.` } : judgeCrl(collateral, authority, authority, date);
  }
  const chosen = part.kind === 'qe-identity' ? chooseQeIdentity(collateral, { root, rootCrl, date }) : chooseTcb(part.fmspc, collateral, { root, rootCrl, date });
  if (chosen === null) return { fault: 'The TCB info is for another platform.' };
  if ('fault' in chosen) return { fault: chosen.fault.sentence };
  const { document: { body, fingerprint }, signer } = chosen.found;
  return { found: { from: body.issueDate, until: body.nextUpdate, fingerprint, signer } };
}

function judgeCrl(collateral: Collateral, issuer: Certificate, signer: Certificate | null, date: Date): JudgedPart {
  const chosen = chooseCrl(collateral, issuer, date);
  if ('fault' in chosen) return { fault: chosen.fault.sentence };
  const { thisUpdate, nextUpdate, fingerprint } = chosen.found;
  return { found: { from: thisUpdate, until: nextUpdate, fingerprint, signer } };
}

function chooseTcb(fmspc: string, collateral: Collateral, judges: Judges): ReturnType<typeof chooseTcbInfo> | null {
  const document = collateral.tcbInfos.find(({ body }) => body.fmspc === fmspc);
  return document === undefined ? null : chooseTcbInfo(collateral, fmspc, document.body.pceId, judges);
}
