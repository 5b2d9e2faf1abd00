/** Bytes as text: `0x` and lower-case hex digits. Ethereum addresses have this form too; EIP-55 is used only for display. */
export type Hex = `0x${string}`;

/** The five operations that an operator can sign. digestOf checks the ranges of the values. */
export type Operation =
  | { kind: 'enter'; replacedNode: Hex; expiredAt: bigint }
  | { kind: 'exit'; expiredAt: bigint }
  /** In units of 1/10000: 500 is 5 %. */
  | { kind: 'commission'; commissionRate: number; expiredAt: bigint }
  | { kind: 'claimer'; claimer: Hex; expiredAt: bigint }
  /** result: 0 valid, 1 invalid, 2 malicious; index: position of the node in the list of chosen nodes. */
  | { kind: 'report'; attestationId: Hex; result: number; index: number };

export type OperationKind = Operation['kind'];

/** EIP-712 domain, without a verifying contract. */
export interface Domain {
  name: string;
  version: string;
  chainId: bigint;
}

/** ECDSA signature; r and s are 32 bytes each. */
export interface Signature {
  v: 27 | 28;
  r: Hex;
  s: Hex;
}
