import type { Hex } from '../messages/operation.ts';

/** A transaction before it is signed: of EIP-1559, or of the type before it. */
export interface UnsignedTransaction {
  chainId: bigint;
  nonce: number;
  /** Null makes a contract. */
  to: Hex | null;
  data: Hex;
  /** Wei that the transaction carries; none unless given. */
  value?: bigint;
  gasLimit: bigint;
  maxFeeWei: bigint;
  priorityFeeWei: bigint;
  /** Type 0 with `maxFeeWei` as its gas price, for chains without a base fee. */
  legacy?: true;
}

export interface SignedTransaction {
  hash: Hex;
  /** What `eth_sendRawTransaction` takes. */
  raw: Hex;
}

/**
 * Signs with one key, wherever the key is. The key itself is in no field, so that no log and no error can show it.
 * Each signature is checked before it is returned: `address` made it, for what was asked, and its s is low.
 */
export interface Signer {
  /** Lower case. */
  readonly address: Hex;
  /** Where the key is, for people: `AWS KMS key alias/relayer`. Never a secret. */
  readonly name: string;
  /**
   * Bounded in time by the signer itself.
   * @throws SignerFault; the reason of `signal`
   */
  signTransaction(transaction: UnsignedTransaction, signal?: AbortSignal): Promise<SignedTransaction>;
  /**
   * Signs a text by EIP-191 (`personal_sign`). Its prefix makes the signature worthless for a transaction or a typed message, so that a
   * check may ask for one.
   * @returns r, s and v (27 or 28), 65 bytes
   * @throws as `signTransaction`
   */
  signText(text: string, signal?: AbortSignal): Promise<Hex>;
}
