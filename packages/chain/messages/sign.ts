import { hashTypedData } from 'viem';
import { sign } from 'viem/accounts';
import type { Domain, Hex, Operation, Signature } from './operation.ts';
import { typedDataOf } from './typedData.ts';

/**
 * Signs an operation as EIP-712 typed data, like a wallet.
 * @param privateKey 32 bytes
 * @throws Error if the key is invalid or a value does not fit its type
 */
export async function signOperation(operation: Operation, domain: Domain, privateKey: Hex): Promise<Signature> {
  return signDigest(hashTypedData(typedDataOf(operation, domain)), privateKey);
}

/** Signs a 32-byte digest. s is in the lower half of the order; the nonce is deterministic (RFC 6979). */
export async function signDigest(digest: Hex, privateKey: Hex): Promise<Signature> {
  const { r, s, yParity } = await sign({ hash: digest, privateKey });
  return { v: yParity === 0 ? 27 : 28, r, s };
}
