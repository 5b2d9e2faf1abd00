import { hashTypedData } from 'viem';
import { sign } from 'viem/accounts';
import type { Domain, Hex, Operation, Signature } from './operation.ts';
import { typedDataOf } from './typedData.ts';

/**
 * Signs an operation as a wallet would: as typed data whose numbers are decimal text.
 * @param privateKey 32 bytes
 * @throws where the key is none, or a value does not fit its type
 */
export async function signOperation(operation: Operation, domain: Domain, privateKey: Hex): Promise<Signature> {
  return signDigest(hashTypedData(typedDataOf(operation, domain)), privateKey);
}

/** Signs 32 bytes; s is always in the lower half, and the nonce follows from key and digest (RFC 6979). */
export async function signDigest(digest: Hex, privateKey: Hex): Promise<Signature> {
  const { r, s, yParity } = await sign({ hash: digest, privateKey });
  return { v: yParity === 0 ? 27 : 28, r, s };
}
