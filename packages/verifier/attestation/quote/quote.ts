/** Report that the processor creates for an enclave, 384 bytes (Intel SDM volume 3D, table 37-21, without key id and MAC). */
export interface EnclaveReport {
  bytes: Buffer;
  cpuSvn: Buffer;
  miscSelect: number;
  /** 16 bytes: 8 bytes of flags, then 8 bytes of XFRM. */
  attributes: Buffer;
  mrEnclave: Buffer;
  mrSigner: Buffer;
  productId: number;
  securityVersion: number;
  reportData: Buffer;
}

/** SGX quote version 3 with ECDSA P-256 (Intel, "SGX ECDSA QuoteGenReference", appendix A). All buffers are views of the quote's bytes. */
export interface Quote {
  header: { version: number; keyType: number; qeSecurityVersion: number; pceSecurityVersion: number; vendorId: Buffer; userData: Buffer };
  report: EnclaveReport;
  /** Header and report: the bytes that the attestation key signed. */
  signed: Buffer;
  /** r and s, 32 bytes each, big-endian. */
  signature: Buffer;
  /** x and y, 32 bytes each, big-endian. */
  attestationKey: Buffer;
  qeReport: EnclaveReport;
  qeReportSignature: Buffer;
  qeAuthenticationData: Buffer;
  /** PEM of the leaf, intermediate and root certificates, in this order. */
  certificates: Buffer;
}

export const headerBytes = 48;
export const reportBytes = 384;
export const supportedVersion = 3;
/** Attestation key type: ECDSA with P-256. */
export const supportedKeyType = 2;
/** Certification data type: PCK certificate chain in PEM. Other types would require a request to Intel's service. */
export const supportedCertificationType = 5;
/** Vendor id of Intel's quoting enclave. */
export const intelVendorId = '939a7233f79c4ca9940a0db3957f0607';
/** Maximum size in bytes. Intel's certificate chains are smaller than 4 KB. */
export const maxCertificateBytes = 32 * 1024;
/** Debug flag in the first byte of the attributes. */
const debugFlag = 0x02;

export function isDebug(report: EnclaveReport): boolean {
  return ((report.attributes[0] ?? 0) & debugFlag) !== 0;
}
