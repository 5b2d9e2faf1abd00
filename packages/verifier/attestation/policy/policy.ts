import type { EnclaveReport } from '../quote/quote.ts';
import type { TcbStatus } from './tcbStatus.ts';

/** An enclave that is accepted: all of what is given must agree. */
export interface AllowedEnclave {
  /** 64 lower-case hex digits: exactly this build. */
  mrEnclave?: string;
  /** 64 lower-case hex digits: what this key signed. */
  mrSigner?: string;
  productId?: number;
  /** The lowest ISVSVN. */
  securityVersionMin?: number;
}

/** What an operator accepts; signatures and dates are checked regardless of the policy. */
export interface AttestationPolicy {
  acceptedStatuses: readonly TcbStatus[];
  /** Null accepts every enclave. */
  allowList: readonly AllowedEnclave[] | null;
}

/** The named choices of `attestation.tcb_policy`. */
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
