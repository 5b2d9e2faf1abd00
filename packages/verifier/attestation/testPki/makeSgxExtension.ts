/** Fields of Intel's SGX extension in a test platform's certificate. */
export interface TestPlatform {
  /** 16 bytes in hex. */
  ppid: string;
  components: readonly number[];
  pceSvn: number;
  pceId: string;
  fmspc: string;
}

const base = '2a864886f84d010d01';

/** Encodes Intel's SGX extension in DER; parsePlatformFacts parses it. */
export function makeSgxExtension({ ppid, components, pceSvn, pceId, fmspc }: TestPlatform): Buffer {
  const tcb = sequence([
    ...components.map((svn, n) => field(tcbField(n + 1), integer(svn))),
    field(tcbField(17), integer(pceSvn)),
    field(tcbField(18), octets(Buffer.from(components).toString('hex'))),
  ]);
  return sequence([
    field(`${base}01`, octets(ppid)), field(`${base}02`, tcb), field(`${base}03`, octets(pceId)), field(`${base}04`, octets(fmspc)),
    field(`${base}05`, item(0x0a, Buffer.from([0]))),
  ]);
}

function tcbField(n: number): string {
  return `${base}02${n.toString(16).padStart(2, '0')}`;
}

function field(id: string, value: Buffer): Buffer {
  return sequence([item(0x06, Buffer.from(id, 'hex')), value]);
}

function sequence(items: readonly Buffer[]): Buffer {
  return item(0x30, Buffer.concat(items));
}

function octets(hex: string): Buffer {
  return item(0x04, Buffer.from(hex, 'hex'));
}

function integer(value: number): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return item(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

function item(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...header]), content]);
}
