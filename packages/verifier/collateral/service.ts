import { pckAuthorities, type PckAuthority } from '../attestation/certificates/verifyChain.ts';

/** One part of collateral that a service delivers. */
export type Part =
  | { kind: 'root-crl' }
  | { kind: 'pck-crl'; authority: PckAuthority }
  | { kind: 'qe-identity' }
  | { kind: 'tcb-info'; fmspc: string };

/** The request for a part, and the file that stores it. */
export interface PartRequest {
  url: string;
  /** Lower-case names of response headers that may contain the issuer chain; empty if the part has none. */
  chainHeaders: readonly string[];
  /** File name in the collateral folder. */
  file: string;
  what: string;
}

/** Intel's own service (PCS API v4), which needs no API key for collateral. */
export const intelService = 'https://api.trustedservices.intel.com';
const apiPath = '/sgx/certification/v4';
/** URL of the root's revocation list, as the root certificate names it: Intel's API does not deliver this list. A PCCS delivers it as `rootcacrl`. */
const intelRootCrl = 'https://certificates.trustedservices.intel.com/IntelSGXRootCA.der';

/**
 * Returns the request for a part from a service with the PCS API v4: Intel's, or a PCCS.
 * @param service URL of the service, with or without the path of the API
 */
export function requestOf(part: Part, service: string): PartRequest {
  const { origin, pathname } = new URL(service);
  const base = pathname === '/' ? `${origin}${apiPath}` : service;
  switch (part.kind) {
    case 'root-crl': return { url: origin === intelService ? intelRootCrl : `${base}/rootcacrl`, chainHeaders: [], file: 'rootCrl.crl', what: 'revocation list of the root' };
    case 'pck-crl': {
      const ca = part.authority === pckAuthorities.platform ? 'platform' : 'processor';
      return { url: `${base}/pckcrl?ca=${ca}&encoding=der`, chainHeaders: ['sgx-pck-crl-issuer-chain'], file: `pckCrl-${ca}.crl`, what: `revocation list of ${part.authority}` };
    }
    case 'qe-identity': return { url: `${base}/qe/identity`, chainHeaders: ['sgx-enclave-identity-issuer-chain'], file: 'qeIdentity.json', what: 'identity of the quoting enclave' };
    case 'tcb-info': return { url: `${base}/tcb?fmspc=${part.fmspc}`, chainHeaders: ['tcb-info-issuer-chain', 'sgx-tcb-info-issuer-chain'], file: `tcbInfo-${part.fmspc}.json`, what: `TCB info of ${part.fmspc}` };
  }
}
