import type { Hex } from '../messages/operation.ts';

/** An unsigned EIP-1559 or legacy transaction. Fees are in wei per gas. */
export interface UnsignedTransaction {
  chainId: bigint;
  nonce: number;
  /** Null creates a contract. */
  to: Hex | null;
  data: Hex;
  /** Amount to transfer in wei. Default: 0. */
  value?: bigint;
  gasLimit: bigint;
  maxFeeWei: bigint;
  priorityFeeWei: bigint;
  /** Legacy transaction (type 0) with `maxFeeWei` as gas price, for chains without a base fee. */
  legacy?: true;
}

export interface SignedTransaction {
  hash: Hex;
  /** Serialized transaction for `eth_sendRawTransaction`. */
  raw: Hex;
}

/**
 * Signs with one key, in this process or in a service. The signer has no field with the key, so logs and errors cannot show the key.
 * Before a signature is returned, the signer verifies that `address` signed the requested data and that s is in the lower half.
 */
export interface Signer {
  /** Ethereum address, lower case. */
  readonly address: Hex;
  /** Location of the key for messages, such as `AWS KMS key alias/relayer`. Not secret. */
  readonly name: string;
  /**
   * Signs a transaction. The signer limits the time.
   * @throws SignerFault; the reason of `signal`
   */
  signTransaction(transaction: UnsignedTransaction, signal?: AbortSignal): Promise<SignedTransaction>;
  /**
   * Signs a text with EIP-191 (`personal_sign`). The prefix of EIP-191 makes the signature unusable as a transaction or as typed data, so
   * health checks can request a signature safely.
   * @returns r, s and v (27 or 28), 65 bytes
   * @throws the errors of `signTransaction`
   */
  signText(text: string, signal?: AbortSignal): Promise<Hex>;
}
