import { createHash } from 'node:crypto';
import { intelVendorId } from '../quote/quote.ts';
import { signRaw, type TestKey } from './keys.ts';

/** Fields of an enclave report; byte strings in hex. */
export interface TestReport {
  cpuSvn: string;
  miscSelect: number;
  attributes: string;
  mrEnclave: string;
  mrSigner: string;
  productId: number;
  securityVersion: number;
  /** 64 bytes. */
  reportData: string;
}

/** All fields of a quote except the certificates; byte strings in hex. A test changes fields; makeQuote then signs the result. */
export interface TestQuote {
  version: number;
  keyType: number;
  teeType: number;
  qeSecurityVersion: number;
  pceSecurityVersion: number;
  vendorId: string;
  userData: string;
  report: TestReport;
  attestationKey: TestKey;
  qeReport: Omit<TestReport, 'reportData'>;
  qeAuthenticationData: string;
  certificationType: number;
}

/** Bytes that replace parts of the quote, or follow it, after signing. */
export interface QuoteTampering {
  signature?: Buffer;
  attestationPoint?: Buffer;
  qeReportData?: Buffer;
  qeReportSignature?: Buffer;
  trailing?: Buffer;
}

const zeros = (bytes: number): string => '00'.repeat(bytes);

export function testReport(changes: Partial<TestReport> = {}): TestReport {
  return {
    cpuSvn: '0b0b0202ff0100000000000000000000', miscSelect: 0, attributes: '0500000000000000e700000000000000', mrEnclave: 'a1'.repeat(32),
    mrSigner: 'b2'.repeat(32), productId: 7, securityVersion: 3, reportData: zeros(64), ...changes,
  };
}

export const quoteDefaults = { version: 3, keyType: 2, teeType: 0, qeSecurityVersion: 10, pceSecurityVersion: 13, vendorId: intelVendorId, userData: zeros(20), certificationType: 5 };

/** Builds a quote: the attestation key signs the quote, the quoting enclave's report binds the attestation key, and the platform key signs this report. */
export function makeQuote(quote: TestQuote, platformKey: TestKey, certificates: string, tampering: QuoteTampering = {}): Buffer {
  const header = Buffer.concat([
    u16(quote.version), u16(quote.keyType), u32(quote.teeType), u16(quote.qeSecurityVersion), u16(quote.pceSecurityVersion), hex(quote.vendorId), hex(quote.userData),
  ]);
  const signed = Buffer.concat([header, makeReport(quote.report)]);
  const point = tampering.attestationPoint ?? quote.attestationKey.point;
  const authenticationData = hex(quote.qeAuthenticationData);
  const binding = createHash('sha256').update(point).update(authenticationData).digest('hex') + zeros(32);
  const qeReport = makeReport({ ...quote.qeReport, reportData: tampering.qeReportData?.toString('hex') ?? binding });
  const chain = Buffer.from(certificates, 'utf8');
  const data = Buffer.concat([
    tampering.signature ?? signRaw(quote.attestationKey, signed), point, qeReport, tampering.qeReportSignature ?? signRaw(platformKey, qeReport),
    u16(authenticationData.length), authenticationData, u16(quote.certificationType), u32(chain.length), chain,
  ]);
  return Buffer.concat([signed, u32(data.length), data, tampering.trailing ?? Buffer.alloc(0)]);
}

function makeReport(report: TestReport): Buffer {
  return Buffer.concat([
    hex(report.cpuSvn), u32(report.miscSelect), Buffer.alloc(28), hex(report.attributes), hex(report.mrEnclave), Buffer.alloc(32), hex(report.mrSigner),
    Buffer.alloc(96), u16(report.productId), u16(report.securityVersion), Buffer.alloc(60), hex(report.reportData),
  ]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
