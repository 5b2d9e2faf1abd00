import type { Hex, Operation, Signature } from '@vouch/chain/messages/operation';
import type { RequestRow, StoredOperation } from './gatewayRequest.ts';

/** Converts a message's fields for its row; numbers become decimal strings. */
export function storeOperation(operation: Operation): StoredOperation {
  const { kind: _, ...fields } = operation;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

/**
 * Reads the message of a row.
 * @throws Error if a field is missing, which only a foreign or damaged row causes
 */
export function decodeOperation({ kind, operation }: Pick<RequestRow, 'kind' | 'operation'>): Operation {
  const field = (name: string): string => {
    const value = operation[name];
    if (value === undefined) throw new Error(`a stored ${kind} has no ${name}`);
    return value;
  };
  switch (kind) {
    case 'enter': return { kind, replacedNode: asHex(field('replacedNode')), expiredAt: BigInt(field('expiredAt')) };
    case 'exit': return { kind, expiredAt: BigInt(field('expiredAt')) };
    case 'commission': return { kind, commissionRate: Number(field('commissionRate')), expiredAt: BigInt(field('expiredAt')) };
    case 'claimer': return { kind, claimer: asHex(field('claimer')), expiredAt: BigInt(field('expiredAt')) };
    case 'report': return {
      kind, attestationId: asHex(field('attestationId')), result: Number(field('result')), index: Number(field('index')),
    };
  }
}

/** Encodes r, s and v as the row's 65 bytes. */
export function storeSignature({ r, s, v }: Signature): Buffer {
  return Buffer.concat([fromHex(r), fromHex(s), Buffer.of(v)]);
}

/**
 * Decodes the signature of a row.
 * @throws Error if `bytes` does not have 65 bytes
 */
export function decodeSignature(bytes: Buffer): Signature {
  if (bytes.length !== 65) throw new Error(`a stored signature has ${bytes.length} bytes`);
  return { r: toHex(bytes.subarray(0, 32)), s: toHex(bytes.subarray(32, 64)), v: bytes[64] === 27 ? 27 : 28 };
}

/** Encodes bytes as lower-case hex with 0x. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** Decodes hex text with 0x. */
export function fromHex(text: Hex): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

function asHex(text: string): Hex {
  if (!text.startsWith('0x')) throw new Error('a stored field is not hex');
  return `0x${text.slice(2)}`;
}
