import { parseTrustRoot, type TrustRoot } from '../attestation/certificates/trustRoot.ts';
import type { ValueType } from './value.ts';

/** The certificate that ends every chain. */
export const trustRoot: ValueType<TrustRoot> = {
  range: 'the SHA-256 of a certificate: 64 hex digits, with colons or without',
  read: (text) => parseTrustRoot(text) ?? undefined,
};
