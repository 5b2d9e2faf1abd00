import type { EnclaveReport } from '../quote/quote.ts';
import type { TcbStatus } from '../policy/tcbStatus.ts';
import { JsonFields, UnreadableDocument } from './jsonFields.ts';
import { maxLevels, parseStatus, type UnknownStatus } from './tcbInfo.ts';

/** Reference values of Intel's quoting enclave (Intel PCS API v4, enclave identity version 2, id QE). Byte strings are lower-case hex. */
export interface QeIdentity {
  issueDate: number;
  nextUpdate: number;
  evaluationNumber: number;
  miscSelect: string;
  miscSelectMask: string;
  attributes: string;
  attributesMask: string;
  mrSigner: string;
  productId: number;
  levels: readonly QeLevel[];
}

export interface QeLevel {
  securityVersion: number;
  date: string;
  status: TcbStatus | UnknownStatus;
  advisories: readonly string[];
}

/** @throws UnreadableDocument */
export function parseQeIdentity(value: unknown): QeIdentity {
  const fields = new JsonFields(value, 'the QE identity');
  const [id, version] = [fields.text('id'), fields.integer('version', 1_000)];
  if (id !== 'QE' || version !== 2) throw new UnreadableDocument(`the enclave identity has id ${id} and version ${version}, not id QE and version 2`);
  return {
    issueDate: fields.date('issueDate'),
    nextUpdate: fields.date('nextUpdate'),
    evaluationNumber: fields.integer('tcbEvaluationDataNumber', 2 ** 32),
    miscSelect: fields.hex('miscselect', 4),
    miscSelectMask: fields.hex('miscselectMask', 4),
    attributes: fields.hex('attributes', 16),
    attributesMask: fields.hex('attributesMask', 16),
    mrSigner: fields.hex('mrsigner', 32),
    productId: fields.integer('isvprodid', 0xffff),
    levels: fields.list('tcbLevels', maxLevels).map((value) => {
      const level = new JsonFields(value, 'a level of the QE identity');
      return { securityVersion: new JsonFields(level.value('tcb'), 'the TCB of a level').integer('isvsvn', 0xffff), ...parseStatus(level) };
    }),
  };
}

/** Compares a quoting enclave's report with Intel's reference values. @returns the first difference, or null if all values match */
export function differenceFrom(identity: QeIdentity, report: EnclaveReport): string | null {
  const signer = report.mrSigner.toString('hex');
  if (signer !== identity.mrSigner) return `its signer is ${signer}, not ${identity.mrSigner}`;
  if (report.productId !== identity.productId) return `its product is ${report.productId}, not ${identity.productId}`;
  const miscSelect = report.bytes.subarray(16, 20);
  if (!sameUnder(identity.miscSelectMask, miscSelect, identity.miscSelect)) return `its MISCSELECT is ${miscSelect.toString('hex')}, not ${identity.miscSelect}`;
  if (!sameUnder(identity.attributesMask, report.attributes, identity.attributes)) {
    return `its attributes are ${report.attributes.toString('hex')}, not ${identity.attributes} under the mask ${identity.attributesMask}`;
  }
  return null;
}

function sameUnder(mask: string, found: Buffer, wanted: string): boolean {
  const [masks, bytes] = [Buffer.from(mask, 'hex'), Buffer.from(wanted, 'hex')];
  return masks.every((bits, n) => ((found[n] ?? 0) & bits) === ((bytes[n] ?? 0) & bits));
}

/** Returns the first level, in Intel's order, whose security version the enclave reaches; null if there is none. */
export function matchQeLevel({ levels }: QeIdentity, securityVersion: number): QeLevel | null {
  return levels.find((level) => securityVersion >= level.securityVersion) ?? null;
}
