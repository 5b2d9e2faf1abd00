import { keptCertificate } from './keptCertificates.ts';
import { parseCertificate } from './parseCertificate.ts';
import { UnreadableCertificate } from './unreadableCertificate.ts';
import { parsePlatformFacts, type PlatformFacts } from './platformFacts.ts';
import { parsePem } from './parsePem.ts';
import type { PckChain } from './verifyChain.ts';

const names = ['the platform’s certificate', 'the intermediate’s certificate', 'the root’s certificate'] as const;

export type ParsedChain = { chain: PckChain; platform: PlatformFacts } | { fault: string };

/** Parses the three certificates of a quote, leaf first, as Intel's quoting library writes them. Signatures are not verified here. */
export function parseChain(pem: Buffer): ParsedChain {
  // Intel's C library includes the terminating zero byte in the length of the text.
  const blocks = parsePem(pem.toString('latin1').replace(/\0+$/, ''), names.length, 'white space');
  if (blocks === null || blocks.length !== names.length || blocks.some(({ label }) => label !== 'CERTIFICATE')) {
    return { fault: 'The certification data does not consist of three PEM certificates.' };
  }
  let reading: string = names[0];
  try {
    const [leaf, authority, root] = blocks.map(({ der }, n) => {
      reading = names[n] ?? reading;
      return n === 0 ? parseCertificate(der) : keptCertificate(der);
    });
    if (leaf === undefined || authority === undefined || root === undefined) throw new UnreadableCertificate('it is missing');
    reading = names[0];
    if (leaf.sgxExtension === null) throw new UnreadableCertificate('the Intel SGX extension with the platform data is missing');
    return { chain: { leaf, authority, root }, platform: parsePlatformFacts(leaf.sgxExtension) };
  } catch (error) {
    if (!(error instanceof UnreadableCertificate)) throw error;
    return { fault: `In the quote, ${reading} cannot be read: ${error.message}.` };
  }
}
