import type { EnclaveReport } from '../quote/quote.ts';
import type { TcbStatus } from './tcbStatus.ts';

/** An entry of the allow-list. An enclave matches the entry if the enclave matches every field that the entry sets. */
export interface AllowedEnclave {
  /** MRENCLAVE, 64 lower-case hex digits: the hash of one enclave build. */
  mrEnclave?: string;
  /** MRSIGNER, 64 lower-case hex digits: the hash of the key that signed the enclave. */
  mrSigner?: string;
  productId?: number;
  /** Minimum security version of the enclave (ISVSVN). */
  securityVersionMin?: number;
}

/** The operator's conditions on an attestation. Signatures and validity dates are always checked, whatever the policy. */
export interface AttestationPolicy {
  acceptedStatuses: readonly TcbStatus[];
  /** If null, every enclave is accepted. */
  allowList: readonly AllowedEnclave[] | null;
}

/** The named values of `attestation.tcb_policy`. */
export const tcbPolicies = {
  strict: ['UpToDate'],
  standard: ['UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded', 'ConfigurationAndSWHardeningNeeded'],
  lenient: ['UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded', 'ConfigurationAndSWHardeningNeeded', 'OutOfDate', 'OutOfDateConfigurationNeeded'],
} as const satisfies Record<string, readonly TcbStatus[]>;

export const defaultPolicy: AttestationPolicy = { acceptedStatuses: tcbPolicies.standard, allowList: null };

export function isAllowed(report: EnclaveReport, allowed: AllowedEnclave): boolean {
  return (allowed.mrEnclave === undefined || report.mrEnclave.toString('hex') === allowed.mrEnclave)
    && (allowed.mrSigner === undefined || report.mrSigner.toString('hex') === allowed.mrSigner)
    && (allowed.productId === undefined || report.productId === allowed.productId)
    && (allowed.securityVersionMin === undefined || report.securityVersion >= allowed.securityVersionMin);
}
