/** Where Intel's service gives collateral (PCS API v4); for sentences to operators, nothing here is fetched. */
const service = 'https://api.trustedservices.intel.com/sgx/certification/v4';

/** Of a revocation list, by the name of its issuer. */
export function crlAddress(issuerName: string): string {
  if (issuerName === 'Intel SGX PCK Platform CA') return `${service}/pckcrl?ca=platform&encoding=der, issuer chain in its header SGX-PCK-CRL-Issuer-Chain`;
  if (issuerName === 'Intel SGX PCK Processor CA') return `${service}/pckcrl?ca=processor&encoding=der, issuer chain in its header SGX-PCK-CRL-Issuer-Chain`;
  return 'https://certificates.trustedservices.intel.com/IntelSGXRootCA.der';
}

export function tcbInfoAddress(fmspc: string): string {
  return `${service}/tcb?fmspc=${fmspc}, issuer chain in its header TCB-Info-Issuer-Chain`;
}

export const qeIdentityAddress = `${service}/qe/identity, issuer chain in its header SGX-Enclave-Identity-Issuer-Chain`;
