import { tcbPolicies, type AllowedEnclave, type AttestationPolicy } from './policy.ts';
import { isTcbStatus, tcbStatuses, type TcbStatus } from './tcbStatus.ts';

/** A parsed value, or the end of a sentence that says what is wrong; the caller prepends the file and the key. */
export type Parsed<Value> = { value: Value } | { fault: string };

/** Keys of an allow-list entry in the configuration and in bundles. */
const enclaveKeys = ['mr_enclave', 'mr_signer', 'product_id', 'security_version_min'];
const maxAllowed = 1_000;

/** Parses `attestation.tcb_policy`: a name in tcbPolicies, or a list of TCB statuses. The status Revoked is rejected: no policy accepts it. */
export function parseTcbPolicy(value: unknown): Parsed<readonly TcbStatus[]> {
  if (value === undefined || value === null) return { value: tcbPolicies.standard };
  if (value === 'strict' || value === 'standard' || value === 'lenient') return { value: tcbPolicies[value] };
  if (!Array.isArray(value) || value.length === 0) {
    return { fault: `is ${JSON.stringify(value)}; it must be strict, standard, lenient, or a list of ${acceptable.join(', ')}` };
  }
  const list: readonly unknown[] = value;
  const wrong = list.find((status) => !isTcbStatus(status) || status === 'Revoked');
  if (wrong !== undefined) return { fault: `has ${JSON.stringify(wrong)}; it may have ${acceptable.join(', ')}` };
  return { value: list.filter(isTcbStatus) };
}

const acceptable = tcbStatuses.filter((status) => status !== 'Revoked');

/** Parses `attestation.allow_list`: 1 to 1,000 enclaves, each with mr_enclave, mr_signer or both. If the list is omitted, every enclave is accepted. */
export function parseAllowList(value: unknown): Parsed<AttestationPolicy['allowList']> {
  if (value === undefined || value === null) return { value: null };
  if (!Array.isArray(value) || value.length === 0 || value.length > maxAllowed) {
    return { fault: `is not a list of 1 to ${maxAllowed} enclaves; omit the key to accept every enclave` };
  }
  const list: readonly unknown[] = value;
  const enclaves: AllowedEnclave[] = [];
  for (const [index, entry] of list.entries()) {
    const parsed = parseEnclave(entry);
    if ('fault' in parsed) return { fault: `has an invalid entry ${index + 1}: ${parsed.fault}` };
    enclaves.push(parsed.value);
  }
  return { value: enclaves };
}

function parseEnclave(entry: unknown): Parsed<AllowedEnclave> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return { fault: `it is ${JSON.stringify(entry)}, not an enclave` };
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(entry));
  const unknown = [...fields.keys()].find((key) => !enclaveKeys.includes(key));
  if (unknown !== undefined) return { fault: `${unknown} is unknown; the known keys are ${enclaveKeys.join(', ')}` };
  const [mrEnclave, mrSigner] = ['mr_enclave', 'mr_signer'].map((key) => fields.get(key));
  const [productId, securityVersionMin] = ['product_id', 'security_version_min'].map((key) => fields.get(key));
  if (mrEnclave === undefined && mrSigner === undefined) return { fault: 'it names neither mr_enclave nor mr_signer' };
  if (!isMeasurement(mrEnclave) || !isMeasurement(mrSigner)) return { fault: 'mr_enclave and mr_signer are 64 hex digits each, quoted, with or without 0x' };
  if (!isUint16(productId) || !isUint16(securityVersionMin)) return { fault: 'product_id and security_version_min are whole numbers from 0 to 65535' };
  return { value: { mrEnclave: plainHex(mrEnclave), mrSigner: plainHex(mrSigner), productId, securityVersionMin } };
}

function isMeasurement(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && /^(?:0x)?[0-9a-f]{64}$/i.test(value));
}

function isUint16(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff);
}

function plainHex(value: string | undefined): string | undefined {
  return value?.toLowerCase().replace(/^0x/, '');
}

/** Encodes a policy for a bundle; parseTcbPolicy and parseAllowList decode its two fields. */
export function writePolicy({ acceptedStatuses, allowList }: AttestationPolicy): { tcb_policy: readonly TcbStatus[]; allow_list: readonly object[] | null } {
  const entries = allowList?.map(({ mrEnclave, mrSigner, productId, securityVersionMin }) =>
    ({ mr_enclave: mrEnclave, mr_signer: mrSigner, product_id: productId, security_version_min: securityVersionMin }));
  return { tcb_policy: acceptedStatuses, allow_list: entries ?? null };
}
