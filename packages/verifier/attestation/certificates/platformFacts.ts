import { derContent, derItems, derTags, type DerItem } from './derItems.ts';
import { UnreadableCertificate } from './unreadableCertificate.ts';

/** Description of the platform in Intel's PCK certificate extension (Intel, "SGX PCK Certificate and CRL profile", 1.3.5). */
export interface PlatformFacts {
  /** Family, model, stepping, platform and custom SKU: 12 hex digits. */
  fmspc: string;
  /** 4 hex digits. */
  pceId: string;
  /** The 16 TCB component security versions, 0 to 255 each. */
  components: readonly number[];
  pceSvn: number;
}

/** DER of the OID 1.2.840.113741.1.13.1 in hex; the byte that follows is the number of the field. */
const base = '2a864886f84d010d01';
const fields = { ppid: `${base}01`, tcb: `${base}02`, pceId: `${base}03`, fmspc: `${base}04`, sgxType: `${base}05` } as const;
const componentCount = 16;

/**
 * Parses Intel's PCK certificate extension.
 * @throws UnreadableCertificate if a field is missing, duplicate or of the wrong length
 */
export function parsePlatformFacts(extension: Buffer): PlatformFacts {
  const found = fieldsOf(derContent(extension, derTags.sequence));
  octets(found, fields.ppid, 16);
  if (one(found, fields.sgxType).tag !== derTags.enumerated) throw new UnreadableCertificate('the Intel SGX extension has an invalid SGX type');
  const tcb = fieldsOf(contentAs(one(found, fields.tcb), derTags.sequence));
  const components = Array.from({ length: componentCount }, (_, n) => number(tcb, tcbField(n + 1), 0xff));
  if (!octets(tcb, tcbField(18), componentCount).equals(Buffer.from(components))) {
    throw new UnreadableCertificate('the component versions in the Intel SGX extension differ from its summary');
  }
  return {
    fmspc: octets(found, fields.fmspc, 6).toString('hex'),
    pceId: octets(found, fields.pceId, 2).toString('hex'),
    components,
    pceSvn: number(tcb, tcbField(17), 0xffff),
  };
}

function tcbField(field: number): string {
  return `${fields.tcb}${field.toString(16).padStart(2, '0')}`;
}

type Fields = Map<string, DerItem>;

function fieldsOf(sequence: Buffer): Fields {
  const found: Fields = new Map();
  for (const { tag, content } of derItems(sequence)) {
    const [id, value, ...others] = derItems(content);
    if (tag !== derTags.sequence || id?.tag !== derTags.objectId || value === undefined || others.length > 0) {
      throw new UnreadableCertificate('the Intel SGX extension has a field that is not a pair of name and value');
    }
    const name = id.content.toString('hex');
    if (found.has(name)) throw new UnreadableCertificate(`the Intel SGX extension has the field ${name} twice`);
    found.set(name, value);
  }
  return found;
}

function one(found: Fields, name: string): DerItem {
  const item = found.get(name);
  if (item === undefined) throw new UnreadableCertificate(`the Intel SGX extension has no field ${name}`);
  return item;
}

function contentAs({ tag, content }: DerItem, wanted: number): Buffer {
  if (tag !== wanted) throw new UnreadableCertificate(`the Intel SGX extension has a field of type ${tag} where type ${wanted} is expected`);
  return content;
}

function octets(found: Fields, name: string, length: number): Buffer {
  const content = contentAs(one(found, name), derTags.octets);
  if (content.length !== length) throw new UnreadableCertificate(`the field ${name} of the Intel SGX extension has ${content.length} bytes, not ${length}`);
  return content;
}

function number(found: Fields, name: string, max: number): number {
  const content = contentAs(one(found, name), derTags.integer);
  const value = content.length >= 1 && content.length <= 3 ? content.readIntBE(0, content.length) : -1;
  if (value < 0 || value > max) throw new UnreadableCertificate(`the field ${name} of the Intel SGX extension has a number outside of 0 to ${max}`);
  return value;
}
