import { isAllowed, type AttestationPolicy } from './policy/policy.ts';
import { isDebug, type EnclaveReport } from './quote/quote.ts';
import type { Trail } from './trail.ts';

/** Checks the enclave against the operator's policy: no debug mode, and a match in the allow-list if the policy has one. */
export function judgeEnclave(report: EnclaveReport, { allowList }: AttestationPolicy, trail: Trail): void {
  const attributes = { attributes: report.attributes.toString('hex'), debug: isDebug(report) };
  if (isDebug(report)) trail.refuse('debug', 'debug-enclave', 'The enclave runs in debug mode, so its host can read and change its memory.', attributes);
  trail.passed('debug', attributes);
  const enclave = {
    MRENCLAVE: report.mrEnclave.toString('hex'), MRSIGNER: report.mrSigner.toString('hex'),
    product: report.productId, 'security version': report.securityVersion,
  };
  if (allowList === null) return trail.passed('enclave', { ...enclave, 'allow-list': 'none: every enclave is accepted' });
  const entry = allowList.findIndex((allowed) => isAllowed(report, allowed));
  const values = { ...enclave, 'allow-list entries': allowList.length, 'matching entry': entry < 0 ? null : entry + 1 };
  if (entry < 0) {
    trail.refuse('enclave', 'enclave-not-allowed', `No entry of the allow list (${allowList.length}) matches the enclave ${enclave.MRENCLAVE} signed by ${enclave.MRSIGNER}, product ${report.productId}, security version ${report.securityVersion}.`, values);
  }
  trail.passed('enclave', values);
}
