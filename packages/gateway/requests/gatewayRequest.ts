import type { Hex, Operation } from '@vouch/chain/messages/operation';

/** States of a request, in the order in which it passes them; the last three are ends. */
export const requestStates = ['verified', 'batched', 'sent', 'mined', 'confirmed', 'failed', 'expired'] as const;
export type RequestState = (typeof requestStates)[number];

/** States in which nothing happens any more. */
export const endStates: readonly RequestState[] = ['confirmed', 'failed', 'expired'];

/**
 * How the client writes: `documented` with snake_case keys, as the interface is published; `field` with camelCase keys and no
 * headers of its own, as the node program in use does.
 */
export type Dialect = 'documented' | 'field';

/** What is known of the client that sent a message. */
export interface ClientFacts {
  origin: string | null;
  user_agent: string | null;
  app_id: string | null;
  dialect: Dialect;
}

/** The fields of a message as the row holds them: numbers as decimal strings. */
export type StoredOperation = Readonly<Record<string, string>>;

/** A row of gateway_requests as the driver gives it: bigint and numeric as text, bytea as Buffer, timestamptz as Date. */
export interface RequestRow {
  request_id: string;
  sequence: string;
  deployment: string;
  kind: Operation['kind'];
  operation: StoredOperation;
  digest: Buffer;
  signer: Buffer;
  /** r, s and v, 65 bytes. */
  signature: Buffer;
  client: ClientFacts;
  deadline: Date;
  state: RequestState;
  batch_id: string | null;
  reason_code: string | null;
  reason: string | null;
  received_at: Date;
  verified_at: Date;
  /** Absent for messages of earlier releases. */
  verified_block: string | null;
  simulated_at: Date | null;
  batched_at: Date | null;
  sent_at: Date | null;
  mined_at: Date | null;
  ended_at: Date | null;
  gas_used: string | null;
  cost_wei: string | null;
}

/** Channel of the wake-up after new requests were stored; its payload says nothing. */
export const requestChannel = 'gateway_requests';

/**
 * Name of a deployment, by which all rows are scoped: the same contract address on a chain that was begun anew is another one.
 * @param genesisHash hash of block 0
 */
export function deploymentName(chainId: bigint, contract: Hex, genesisHash: Hex): string {
  return `${chainId}:${contract.toLowerCase()}:${genesisHash.slice(2, 18).toLowerCase()}`;
}
