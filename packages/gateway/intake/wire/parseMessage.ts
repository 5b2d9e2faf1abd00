import type { Hex, Operation, Signature } from '@vouch/chain/messages/operation';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import type { Dialect } from '../../requests/gatewayRequest.ts';
import { parseAddress, parseBytes32, parseInteger, parseSignaturePart, parseTime, show, type Field } from './parseField.ts';

/** A well-formed message whose signature is not verified yet. */
export interface SignedMessage {
  operation: Operation;
  /** The Ethereum address that the message names as its signer. */
  signer: Hex;
  signature: Signature;
  dialect: Dialect;
}

/** The snake_case and camelCase spelling of each field of two words. */
const spellings = {
  replaced_node: 'replacedNode',
  expired_at: 'expiredAt',
  commission_rate: 'commissionRate',
  attestation_id: 'attestationId',
} as const;

const maxUint32 = 0xffffffff;
const maxUint8 = 0xff;

/** Returns the dialect of a body: `field` if at least one key is in camelCase, else `documented`. */
export function dialectOf(body: unknown): Dialect {
  if (typeof body !== 'object' || body === null) return 'documented';
  return Object.values(spellings).some((name) => Object.hasOwn(body, name)) ? 'field' : 'documented';
}

/**
 * Reads the body of a message in either dialect: snake_case or camelCase keys, numbers or decimal text, hex with or without 0x.
 * Unknown fields, such as `version`, are ignored.
 * @throws Problem `message-unreadable`; `message-invalid` with one sentence for each fault; `signature-invalid`
 */
export function parseMessage(kind: Operation['kind'], body: unknown): SignedMessage {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw gatewayErrors.problem('message-unreadable', `The body is ${body === undefined ? 'empty' : show(body)}; it must be a JSON object with the fields of the operation.`);
  }
  const reader = new FieldReader(body);
  const operation = parseOperation(kind, reader);
  const signer = reader.read('signer', parseAddress);
  const v = reader.read('v', (name, given) => parseInteger(name, given, maxUint32));
  const r = reader.read('r', parseSignaturePart);
  const s = reader.read('s', parseSignaturePart);
  if (reader.faults.length > 0 || operation === null || signer === null || v === null || r === null || s === null) {
    throw gatewayErrors.problem('message-invalid', `${reader.faults.join(' ')} Send each signed field with its signed value.`);
  }
  return { operation, signer, signature: { v: parityOf(v), r, s }, dialect: dialectOf(body) };
}

function parseOperation(kind: Operation['kind'], reader: FieldReader): Operation | null {
  if (kind === 'report') {
    const attestationId = reader.read('attestation_id', parseBytes32);
    const result = reader.read('result', (name, given) => parseInteger(name, given, maxUint8));
    const index = reader.read('index', (name, given) => parseInteger(name, given, maxUint32));
    return attestationId === null || result === null || index === null ? null : { kind, attestationId, result, index };
  }
  const expiredAt = reader.read('expired_at', parseTime);
  switch (kind) {
    case 'exit': return expiredAt === null ? null : { kind, expiredAt };
    case 'enter': {
      const replacedNode = reader.read('replaced_node', parseAddress);
      return replacedNode === null || expiredAt === null ? null : { kind, replacedNode, expiredAt };
    }
    case 'claimer': {
      const claimer = reader.read('claimer', parseAddress);
      return claimer === null || expiredAt === null ? null : { kind, claimer, expiredAt };
    }
    case 'commission': {
      const commissionRate = reader.read('commission_rate', (name, given) => parseInteger(name, given, maxUint32));
      return commissionRate === null || expiredAt === null ? null : { kind, commissionRate, expiredAt };
    }
  }
}

/** Accepts 27 and 28, and 0 and 1, which some signing libraries return. */
function parityOf(v: number): 27 | 28 {
  if (v === 0 || v === 27) return 27;
  if (v === 1 || v === 28) return 28;
  throw gatewayErrors.problem('signature-invalid', `v is ${v}; it must be 27 or 28. Send the recovery value that the signing library returns.`);
}

/** Reads fields of a body in either spelling and collects the faults. */
class FieldReader {
  readonly faults: string[] = [];
  readonly #body: Readonly<Record<string, unknown>>;

  constructor(body: object) {
    this.#body = { ...body };
  }

  read<Value>(name: string, reader: (name: string, given: unknown) => Field<Value>): Value | null {
    const other = Object.hasOwn(spellings, name) ? spellings[name as keyof typeof spellings] : null;
    if (other !== null && this.#has(name) && this.#has(other) && this.#body[name] !== this.#body[other]) {
      this.faults.push(`${name} and ${other} are the same field, and the body contains both; send one of them.`);
      return null;
    }
    const written = other !== null && this.#has(other) ? other : name;
    // A null value counts as a missing field, because typed JSON clients send null for absent fields.
    const field = reader(written, this.#body[written] ?? undefined);
    if ('value' in field) return field.value;
    this.faults.push(field.fault);
    return null;
  }

  #has(name: string): boolean {
    return Object.hasOwn(this.#body, name);
  }
}
