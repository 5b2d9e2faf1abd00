import { ByteReader, UnreadableBytes } from './byteReader.ts';
import {
  headerBytes, intelVendorId, maxCertificateBytes, reportBytes, supportedCertificationType, supportedKeyType, supportedVersion,
  type EnclaveReport, type Quote,
} from './quote.ts';

type ParsedQuote = { quote: Quote } | { fault: 'quote-unreadable' | 'quote-unsupported'; sentence: string };

/** Thrown for a well-formed quote whose version, key type, TEE type, vendor or certification type is not supported. */
class UnsupportedQuote extends Error {
  override readonly name = 'UnsupportedQuote';
}

/** Parses an SGX quote. Every length is checked, and trailing bytes are rejected. Signatures are not verified here: see verifySignatures. */
export function parseQuote(bytes: Buffer): ParsedQuote {
  try {
    return { quote: decodeQuote(bytes) };
  } catch (error) {
    if (error instanceof UnreadableBytes) return { fault: 'quote-unreadable', sentence: `The quote (${bytes.length} bytes) cannot be read: ${error.message}.` };
    if (error instanceof UnsupportedQuote) return { fault: 'quote-unsupported', sentence: error.message };
    throw error;
  }
}

function decodeQuote(bytes: Buffer): Quote {
  const reader = new ByteReader(bytes);
  const header = decodeHeader(reader);
  const report = decodeReport(reader.take(reportBytes, 'the report'));
  const authenticationBytes = reader.uint32('the length of the signature data');
  const authentication = new ByteReader(reader.take(authenticationBytes, 'the signature data'));
  reader.end('the signature data');
  const signature = authentication.take(64, 'the signature');
  const attestationKey = authentication.take(64, 'the attestation key');
  const qeReport = decodeReport(authentication.take(reportBytes, 'the report of the quoting enclave'));
  const qeReportSignature = authentication.take(64, 'the signature of the quoting enclave’s report');
  const qeAuthenticationData = authentication.take(authentication.uint16('the length of the authentication data'), 'the authentication data');
  const certificates = decodeCertification(authentication);
  return {
    header, report, signed: bytes.subarray(0, headerBytes + reportBytes), signature, attestationKey,
    qeReport, qeReportSignature, qeAuthenticationData, certificates,
  };
}

function decodeHeader(reader: ByteReader): Quote['header'] {
  const version = reader.uint16('the version');
  if (version !== supportedVersion) throw new UnsupportedQuote(`The quote has version ${version}; only SGX quotes of version ${supportedVersion} are supported.`);
  const keyType = reader.uint16('the type of the attestation key');
  const teeType = reader.uint32('the TEE type');
  const qeSecurityVersion = reader.uint16('the version of the quoting enclave');
  const pceSecurityVersion = reader.uint16('the version of the provisioning enclave');
  const vendorId = reader.take(16, 'the vendor');
  const userData = reader.take(20, 'the user data');
  if (keyType !== supportedKeyType) throw new UnsupportedQuote(`The attestation key has type ${keyType}; only type ${supportedKeyType}, ECDSA with P-256, is supported.`);
  if (teeType !== 0) throw new UnsupportedQuote(`The TEE type is 0x${teeType.toString(16)}; a quote of version 3 has the TEE type 0x0, SGX.`);
  if (vendorId.toString('hex') !== intelVendorId) throw new UnsupportedQuote(`The quoting enclave's vendor is ${vendorId.toString('hex')}, not Intel's ${intelVendorId}.`);
  return { version, keyType, qeSecurityVersion, pceSecurityVersion, vendorId, userData };
}

function decodeCertification(reader: ByteReader): Buffer {
  const type = reader.uint16('the type of the certification data');
  const length = reader.uint32('the length of the certification data');
  const bytes = reader.take(length, 'the certification data');
  reader.end('the certification data');
  if (type !== supportedCertificationType) {
    throw new UnsupportedQuote(`The certification data has type ${type}; only type ${supportedCertificationType}, the certificate chain, is supported.`);
  }
  if (length > maxCertificateBytes) throw new UnreadableBytes(`the certificates have ${length} bytes, more than ${maxCertificateBytes}`);
  return bytes;
}

function decodeReport(bytes: Buffer): EnclaveReport {
  return {
    bytes,
    cpuSvn: bytes.subarray(0, 16),
    miscSelect: bytes.readUInt32LE(16),
    attributes: bytes.subarray(48, 64),
    mrEnclave: bytes.subarray(64, 96),
    mrSigner: bytes.subarray(128, 160),
    productId: bytes.readUInt16LE(256),
    securityVersion: bytes.readUInt16LE(258),
    reportData: bytes.subarray(320, 384),
  };
}
