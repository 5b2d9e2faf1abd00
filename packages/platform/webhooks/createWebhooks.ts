import type { Connection, Database } from '../database/database.ts';
import {
  insertDelivery, listDeliveries, findDelivery, restartDelivery, type Attempt, type Delivery,
} from './deliveryStore.ts';
import { sendDeliveries, type Sender, type SenderParts } from './sendDeliveries.ts';
import { rotateSecret, showSecret, type WebhookSecret } from './webhookSecrets.ts';
import type { Webhooks } from './webhooks.ts';

/** Webhooks with the functions that routes, commands and startup need in addition to enqueueing. */
export interface WebhookService extends Webhooks {
  list(organizationId: string, limit: number, before: string | null): Promise<Delivery[]>;
  get(organizationId: string, id: string): Promise<(Delivery & { body: string; attempt_list: Attempt[] }) | null>;
  /** Sends a delivery again at once; null if the organization has no delivery with this id. */
  redeliver(organizationId: string, id: string, transaction?: Connection): Promise<Delivery | null>;
  showSecret(organizationId: string): Promise<WebhookSecret>;
  rotateSecret(organizationId: string): Promise<WebhookSecret>;
  /** Starts sending deliveries from this process. */
  startSending(): Promise<Sender>;
}

/**
 * Creates the webhook service. It sends nothing until `startSending`, which each sending process must call.
 * @example
 * const webhooks = createWebhooks({ database, outbound, system: systemInterfaces, log });
 * await database.transaction((transaction) => webhooks.enqueue(transaction, { organizationId, url, type: 'model.training.completed', data }));
 * const sender = await webhooks.startSending();
 */
export function createWebhooks(parts: SenderParts): WebhookService {
  const { system, outbound } = parts;
  const database: Database = parts.database;
  return {
    async enqueue(transaction, request) {
      const id = system.random.uuid();
      await insertDelivery(transaction, id, request);
      return id;
    },
    checkUrl: (url) => outbound.check(url),
    list: (organizationId, limit, before) => listDeliveries(database, organizationId, limit, before),
    get: (organizationId, id) => findDelivery(database, organizationId, id),
    redeliver: (organizationId, id, transaction) => restartDelivery(transaction ?? database, organizationId, id),
    showSecret: (organizationId) => showSecret(database, organizationId, system),
    rotateSecret: (organizationId) => rotateSecret(database, organizationId, system),
    startSending: () => sendDeliveries(parts),
  };
}
