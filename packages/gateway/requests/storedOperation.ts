import type { Hex, Operation, Signature } from '@vouch/chain/messages/operation';
import type { RequestRow, StoredOperation } from './gatewayRequest.ts';

/** The fields of a message for its row, numbers as decimal strings. */
export function storeOperation(operation: Operation): StoredOperation {
  const { kind: _, ...fields } = operation;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

/** The message of a row. @throws Error where the row lacks a field, which no version of this program writes */
export function readOperation({ kind, operation }: Pick<RequestRow, 'kind' | 'operation'>): Operation {
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

/** r, s and v in the 65 bytes of the row. */
export function storeSignature({ r, s, v }: Signature): Buffer {
  return Buffer.concat([fromHex(r), fromHex(s), Buffer.of(v)]);
}

/** The signature of a row. */
export function readSignature(bytes: Buffer): Signature {
  if (bytes.length !== 65) throw new Error(`a stored signature has ${bytes.length} bytes`);
  return { r: toHex(bytes.subarray(0, 32)), s: toHex(bytes.subarray(32, 64)), v: bytes[64] === 27 ? 27 : 28 };
}

/** Bytes as lower-case hex with 0x. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** The bytes of a hex text with 0x. */
export function fromHex(text: Hex): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

function asHex(text: string): Hex {
  if (!text.startsWith('0x')) throw new Error('a stored field is not hex');
  return `0x${text.slice(2)}`;
}
