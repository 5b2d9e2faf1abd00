import { secp256k1 } from '@noble/curves/secp256k1';
import { privateKeyToAccount } from 'viem/accounts';
import { hashTypedData, parseSignature, toHex } from 'viem';

type Hex = `0x${string}`;

/** An unsigned message with the field names of the published interface. */
export type UnsignedMessage =
  | { kind: 'enter'; replaced_node: Hex; expired_at: number }
  | { kind: 'exit'; expired_at: number }
  | { kind: 'commission'; commission_rate: number; expired_at: number }
  | { kind: 'claimer'; claimer: Hex; expired_at: number }
  | { kind: 'report'; attestation_id: Hex; result: number; index: number };

/** EIP-712 domain of a message. */
export interface SigningDomain {
  name: string;
  version: string;
  chainId: bigint;
}

const domainFields = [{ name: 'name', type: 'string' }, { name: 'version', type: 'string' }, { name: 'chainId', type: 'uint256' }];

/** Typed data written from the published interface, independent of the tested code, so that a fault there is not repeated here. */
const typed = {
  enter: ['NodeEnterData', [['replacedNode', 'address', 'replaced_node'], ['expiredAt', 'uint256', 'expired_at']]],
  exit: ['NodeExitData', [['expiredAt', 'uint256', 'expired_at']]],
  commission: ['NodeModifyCommissionRateData', [['commissionRate', 'uint32', 'commission_rate'], ['expiredAt', 'uint256', 'expired_at']]],
  claimer: ['NodeSetRewardClaimerData', [['claimer', 'address', 'claimer'], ['expiredAt', 'uint256', 'expired_at']]],
  report: ['VerificationData', [['attestationID', 'bytes32', 'attestation_id'], ['result', 'uint8', 'result'], ['index', 'uint32', 'index']]],
} as const;

/** Last path segment of each message, from the published interface. */
export const messagePaths: Readonly<Record<UnsignedMessage['kind'], string>> = {
  enter: '/send_tx_node_enter',
  exit: '/send_tx_node_exit',
  commission: '/send_tx_modify_commission_rate',
  claimer: '/send_tx_set_reward_claimer',
  report: '/send_tx_node_report_verification',
};

/** A signed body in the documented dialect. */
export type Body = Record<string, string | number>;

/** Deviations from the published interface, for messages that must be refused. */
export interface Otherwise {
  primaryType?: string;
  /** Additional domain fields. */
  domainFields?: Readonly<Record<string, string>>;
  /** Passes numbers to the signing library as decimal text. */
  numbersAsText?: boolean;
}

function typedDataOf(unsigned: UnsignedMessage, domain: SigningDomain, { primaryType: other, domainFields: further = {}, numbersAsText = false }: Otherwise = {}) {
  const [usual, fields] = typed[unsigned.kind];
  const values = { ...unsigned } as Record<string, string | number>;
  const primaryType = other ?? usual;
  const valueOf = (key: string): string | number | undefined => (numbersAsText && typeof values[key] === 'number' ? String(values[key]) : values[key]);
  return {
    domain: { ...domain, ...further },
    types: {
      EIP712Domain: [...domainFields, ...Object.keys(further).map((name) => ({ name, type: 'string' }))],
      [primaryType]: fields.map(([name, type]) => ({ name, type })),
    },
    primaryType,
    message: Object.fromEntries(fields.map(([name, , key]) => [name, valueOf(key)])),
  };
}

function bodyOf(unsigned: UnsignedMessage, signer: Hex, signature: { r: Hex; s: Hex; yParity: number }): Body {
  const { kind: _, ...fields } = unsigned;
  return { ...fields, signer, v: 27 + signature.yParity, r: signature.r.slice(2), s: signature.s.slice(2) };
}

/**
 * Signs a message with viem's account, as a wallet does.
 * @example
 * const body = await signMessage({ kind: 'exit', expired_at: 1_760_000_000 }, domain, privateKey);
 */
export async function signMessage(unsigned: UnsignedMessage, domain: SigningDomain, privateKey: Hex, otherwise: Otherwise = {}): Promise<Body> {
  const account = privateKeyToAccount(privateKey);
  const { r, s, yParity } = parseSignature(await account.signTypedData(typedDataOf(unsigned, domain, otherwise)));
  return bodyOf(unsigned, account.address, { r, s, yParity });
}

/** Creates a second, different signature of a message with a random nonce. */
export async function signAgain(unsigned: UnsignedMessage, domain: SigningDomain, privateKey: Hex): Promise<Body> {
  const hash = hashTypedData(typedDataOf(unsigned, domain));
  // viem's setSignEntropy would also randomize every later signature of this process.
  const { r, s, recovery } = secp256k1.sign(hash.slice(2), privateKey.slice(2), { extraEntropy: true });
  return bodyOf(unsigned, privateKeyToAccount(privateKey).address, { r: toHex(r, { size: 32 }), s: toHex(s, { size: 32 }), yParity: recovery });
}

/** Returns the equivalent signature with s in the upper half of its range. */
export function withHighS(body: Body): Body {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = (order - BigInt(`0x${body['s']}`)).toString(16).padStart(64, '0');
  return { ...body, s, v: body['v'] === 27 ? 28 : 27 };
}

/** Converts a body to the dialect of the deployed node software: camelCase keys, times as text. */
export function inFieldDialect(body: Body): Record<string, unknown> {
  const names: Record<string, string> = {
    replaced_node: 'replacedNode', expired_at: 'expiredAt', commission_rate: 'commissionRate', attestation_id: 'attestationId',
  };
  return Object.fromEntries(Object.entries(body).map(([name, value]) => {
    if (name === 'expired_at') return ['expiredAt', String(value)];
    if (name === 'attestation_id') return ['attestationId', String(value).slice(2)];
    return [names[name] ?? name, value];
  }));
}
