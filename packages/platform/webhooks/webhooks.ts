import type { Connection } from '../database/database.ts';

export interface WebhookRequest {
  organizationId: string;
  url: string;
  /** e.g. `model.training.completed`. */
  type: string;
  /** The status record; sent as `data`. */
  data: unknown;
}

/** Callbacks by Standard Webhooks: at least once, signed, recorded. */
export interface Webhooks {
  /** Records the delivery inside the caller's transaction; it is sent after its commit. Returns the id of the delivery. */
  enqueue(transaction: Connection, request: WebhookRequest): Promise<string>;
  /** Refuses at request time what could never be delivered. @throws Problem `address-refused` */
  checkUrl(url: string): void;
}
