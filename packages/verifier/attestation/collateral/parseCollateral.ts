import type { Certificate, Crl } from '../certificates/certificate.ts';
import { keptCertificate } from '../certificates/keptCertificates.ts';
import { sha256 } from '../certificates/parseCertificate.ts';
import { UnreadableCertificate } from '../certificates/unreadableCertificate.ts';
import { parseCrl } from '../certificates/parseCrl.ts';
import { parsePem } from '../certificates/parsePem.ts';
import type { Collateral, CollateralFile, Held, SignedDocument } from './collateral.ts';
import { derSignature } from '../certificates/derSignature.ts';
import { JsonFields, UnreadableDocument } from './jsonFields.ts';
import { parseQeIdentity, type QeIdentity } from './qeIdentity.ts';
import { parseTcbInfo, type TcbInfo } from './tcbInfo.ts';

const maxPemBlocks = 64;

/** Accumulates the parsed items while the files are read. */
class Parsed {
  certificates: Held<Certificate>[] = [];
  crls: Held<Crl>[] = [];
  tcbInfos: Held<SignedDocument<TcbInfo>>[] = [];
  qeIdentities: Held<SignedDocument<QeIdentity>>[] = [];
  faults: { file: string; sentence: string }[] = [];
}

/**
 * Parses collateral files. The content determines the type, not the file name: certificates and revocation lists in PEM
 * (also percent-encoded, as in Intel's HTTP headers), in DER or in hex of DER; TCB info and QE identity as the JSON responses of
 * Intel's service. A file that cannot be read is listed in `faults`; the other files are still parsed.
 */
export function parseCollateral(files: readonly CollateralFile[]): Collateral {
  const parsed = new Parsed();
  for (const file of files) {
    try {
      parseFile(parsed, file);
    } catch (error) {
      if (!(error instanceof UnreadableCertificate) && !(error instanceof UnreadableDocument)) throw error;
      parsed.faults.push({ file: file.name, sentence: `${file.name} cannot be read: ${error.message}.` });
    }
  }
  return { files, ...parsed };
}

function parseFile(parsed: Parsed, { name, bytes }: CollateralFile): void {
  if (bytes[0] === 0x30 && bytes.length > 4 && (bytes[1] ?? 0) >= 0x80) return parseDer(parsed, name, bytes);
  const text = bytes.toString('utf8').trim();
  if (text.startsWith('{')) return parseDocument(parsed, name, text);
  if (text.includes('BEGIN')) return parsePemText(parsed, name, text.includes('-----BEGIN ') ? text : unescape(text));
  if (text.length > 8 && /^[0-9a-f\s]+$/i.test(text)) return parseDer(parsed, name, Buffer.from(text.replace(/\s/g, ''), 'hex'));
  throw new UnreadableDocument('it is neither PEM nor DER nor JSON of the Intel service');
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UnreadableDocument('it is neither PEM nor a percent-encoded header');
  }
}

function parsePemText(parsed: Parsed, file: string, text: string): void {
  const blocks = parsePem(text, maxPemBlocks, 'any text');
  if (blocks === null || blocks.length === 0) throw new UnreadableDocument(`its PEM is damaged or has more than ${maxPemBlocks} blocks`);
  for (const { label, der } of blocks) {
    if (label === 'CERTIFICATE') parsed.certificates.push({ ...keptCertificate(der), file });
    else if (label === 'X509 CRL') parsed.crls.push({ ...parseCrl(der), file });
    else throw new UnreadableDocument(`it contains ${label.slice(0, 40)}, not certificates or revocation lists`);
  }
}

function parseDer(parsed: Parsed, file: string, der: Buffer): void {
  try {
    parsed.crls.push({ ...parseCrl(der), file });
  } catch (fault) {
    if (!(fault instanceof UnreadableCertificate)) throw fault;
    try {
      parsed.certificates.push({ ...keptCertificate(der), file });
    } catch {
      throw fault;
    }
  }
}

function parseDocument(parsed: Parsed, file: string, text: string): void {
  const fields = new JsonFields(parseJson(text), 'the file');
  const signature = (): Buffer => derSignature(Buffer.from(fields.hex('signature', 64), 'hex'));
  if (fields.has('tcbInfo')) {
    const value = fields.value('tcbInfo');
    parsed.tcbInfos.push({ ...signedDocument(value, parseTcbInfo(value), signature()), file });
  } else if (fields.has('enclaveIdentity')) {
    const value = fields.value('enclaveIdentity');
    parsed.qeIdentities.push({ ...signedDocument(value, parseQeIdentity(value), signature()), file });
  } else throw new UnreadableDocument('it has neither tcbInfo nor enclaveIdentity');
}

/** Intel signs the JSON without white space, so JSON.stringify of the parsed value restores the signed bytes. */
function signedDocument<Body>(value: unknown, body: Body, signature: Buffer): SignedDocument<Body> {
  const bytes = Buffer.from(JSON.stringify(value), 'utf8');
  return { body, fingerprint: sha256(bytes), signed: { bytes, signature } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableDocument('it is not JSON');
  }
}
