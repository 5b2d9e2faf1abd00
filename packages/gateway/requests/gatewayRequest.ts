import type { Hex, Operation } from '@vouch/chain/messages/operation';

/** States of a request in order; the last three are final. */
export const requestStates = ['verified', 'batched', 'sent', 'mined', 'confirmed', 'failed', 'expired'] as const;
export type RequestState = (typeof requestStates)[number];

/** Final states. */
export const endStates: readonly RequestState[] = ['confirmed', 'failed', 'expired'];

/**
 * Format of a client's message: `documented` has snake_case keys, as published; `field` has camelCase keys and no custom headers,
 * as
 * the deployed node software sends.
 */
export type Dialect = 'documented' | 'field';

/** Facts about the client that sent a message. */
export interface ClientFacts {
  origin: string | null;
  user_agent: string | null;
  app_id: string | null;
  dialect: Dialect;
}

/** The fields of a message as stored; numbers are decimal strings. */
export type StoredOperation = Readonly<Record<string, string>>;

/** A block in whose state a message would fail or needs no transaction, with the code of that ending. */
export interface Hold {
  number: number;
  hash: Hex;
  code: string;
}

/** A row of gateway_requests in the driver's types: bigint and numeric as string, bytea as Buffer, timestamptz as Date. */
export interface RequestRow {
  request_id: string;
  sequence: string;
  deployment: string;
  kind: Operation['kind'];
  operation: StoredOperation;
  digest: Buffer;
  signer: Buffer;
  /** r, s and v, 65 bytes in total. */
  signature: Buffer;
  client: ClientFacts;
  deadline: Date;
  state: RequestState;
  batch_id: string | null;
  reason_code: string | null;
  reason: string | null;
  received_at: Date;
  verified_at: Date;
  /** Null for messages stored by earlier releases. */
  verified_block: string | null;
  /** The block that the message waits for, with its hash and the code of a `Hold`; a code alone marks a message that may need no transaction. */
  held_block: string | null;
  held_hash: Buffer | null;
  held_code: string | null;
  simulated_at: Date | null;
  batched_at: Date | null;
  sent_at: Date | null;
  mined_at: Date | null;
  ended_at: Date | null;
  gas_used: string | null;
  cost_wei: string | null;
}

/** NOTIFY channel that wakes the pipeline after new requests were stored; the payload is empty. */
export const requestChannel = 'gateway_requests';

/**
 * Name that scopes a deployment's rows. The genesis hash distinguishes a reset chain that has the same contract address.
 * @param genesisHash hash of block 0
 */
export function deploymentName(chainId: bigint, contract: Hex, genesisHash: Hex): string {
  return `${chainId}:${contract.toLowerCase()}:${genesisHash.slice(2, 18).toLowerCase()}`;
}
