/** Report of an enclave as the processor makes it, 384 bytes (Intel SDM volume 3D, table 37-21, without key id and MAC). */
export interface EnclaveReport {
  bytes: Buffer;
  cpuSvn: Buffer;
  miscSelect: number;
  /** 16 bytes: 8 of flags, 8 of XFRM. */
  attributes: Buffer;
  mrEnclave: Buffer;
  mrSigner: Buffer;
  productId: number;
  securityVersion: number;
  reportData: Buffer;
}

/** An SGX quote of version 3, ECDSA P-256 (Intel, "SGX ECDSA QuoteGenReference", appendix A). All buffers are views. */
export interface Quote {
  header: { version: number; keyType: number; qeSecurityVersion: number; pceSecurityVersion: number; vendorId: Buffer; userData: Buffer };
  report: EnclaveReport;
  /** Header and report: what the attestation key signed. */
  signed: Buffer;
  /** r and s, 32 bytes each, big-endian. */
  signature: Buffer;
  /** x and y, 32 bytes each, big-endian. */
  attestationKey: Buffer;
  qeReport: EnclaveReport;
  qeReportSignature: Buffer;
  qeAuthenticationData: Buffer;
  /** PEM of leaf, intermediate and root, one after another. */
  certificates: Buffer;
}

export const headerBytes = 48;
export const reportBytes = 384;
export const supportedVersion = 3;
/** ECDSA-256 with P-256. */
export const supportedKeyType = 2;
/** PCK certificate chain in PEM: the only kind that can be judged without asking anyone. */
export const supportedCertificationType = 5;
/** The quoting enclave of Intel. */
export const intelVendorId = '939a7233f79c4ca9940a0db3957f0607';
/** Certificate chains of Intel are below 4 KB. */
export const maxCertificateBytes = 32 * 1024;
/** The debug flag in the first byte of the attributes. */
const debugFlag = 0x02;

export function isDebug(report: EnclaveReport): boolean {
  return ((report.attributes[0] ?? 0) & debugFlag) !== 0;
}
