/** Bytes as text: `0x` and lower-case hex digits. Addresses are in this form too; EIP-55 is only for people. */
export type Hex = `0x${string}`;

/** The five things that an operator can sign. Ranges are those of the typed data: see `digestOf`. */
export type Operation =
  | { kind: 'enter'; replacedNode: Hex; expiredAt: bigint }
  | { kind: 'exit'; expiredAt: bigint }
  /** In 1/10000: 500 is 5 %. */
  | { kind: 'commission'; commissionRate: number; expiredAt: bigint }
  | { kind: 'claimer'; claimer: Hex; expiredAt: bigint }
  /** result: 0 valid, 1 invalid, 2 malicious; index: place of the node in the list of those chosen. */
  | { kind: 'report'; attestationId: Hex; result: number; index: number };

export type OperationKind = Operation['kind'];

/** The EIP-712 domain; there is no verifying contract in it. */
export interface Domain {
  name: string;
  version: string;
  chainId: bigint;
}

/** An ECDSA signature; r and s have 32 bytes each. */
export interface Signature {
  v: 27 | 28;
  r: Hex;
  s: Hex;
}
