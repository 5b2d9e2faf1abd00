import type { Connection } from '../database/database.ts';

/** A callback to be sent. */
export interface WebhookRequest {
  organizationId: string;
  url: string;
  /** e.g. `model.training.completed`. */
  type: string;
  /** The status record; sent as `data`. */
  data: unknown;
  /** Header `traceparent` of what caused the callback; null outside of a trace. */
  traceparent?: string | null;
}

/** Signed and recorded callbacks by Standard Webhooks, delivered at least once. */
export interface Webhooks {
  /** Records the delivery in the caller's transaction; it is sent after the commit. @returns id of the delivery */
  enqueue(transaction: Connection, request: WebhookRequest): Promise<string>;
  /** Rejects, at request time, a URL that is never allowed. @throws Problem `address-refused` */
  checkUrl(url: string): void;
}
