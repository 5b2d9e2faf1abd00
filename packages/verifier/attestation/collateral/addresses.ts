/** Base URL of Intel's collateral service (PCS API v4). These URLs appear in messages to operators; this folder makes no requests. */
const service = 'https://api.trustedservices.intel.com/sgx/certification/v4';

/** URL of a revocation list, by the common name of its issuer. */
export function crlAddress(issuerName: string): string {
  if (issuerName === 'Intel SGX PCK Platform CA') return `${service}/pckcrl?ca=platform&encoding=der, issuer chain in its header SGX-PCK-CRL-Issuer-Chain`;
  if (issuerName === 'Intel SGX PCK Processor CA') return `${service}/pckcrl?ca=processor&encoding=der, issuer chain in its header SGX-PCK-CRL-Issuer-Chain`;
  return 'https://certificates.trustedservices.intel.com/IntelSGXRootCA.der';
}

export function tcbInfoAddress(fmspc: string): string {
  return `${service}/tcb?fmspc=${fmspc}, issuer chain in its header TCB-Info-Issuer-Chain`;
}

export const qeIdentityAddress = `${service}/qe/identity, issuer chain in its header SGX-Enclave-Identity-Issuer-Chain`;
