import type { PlantedFault } from './plantedFault.ts';

const webhooks = 'packages/platform/webhooks';

/** Faults of claims, retries and the outbox of webhooks. The simulation must find those with a seed. */
export const webhooksPlants: readonly PlantedFault[] = [
  { name: 'a callback under a lease is claimed', seed: 1, scenario: 'webhooks', file: `${webhooks}/deliveryStore.ts`, replace: 'AND (lease_until IS NULL OR lease_until <= now())', by: '' },
  { name: 'a former holder records its attempt', seed: null, scenario: 'webhooks', file: `${webhooks}/deliveryStore.ts`, replace: 'WHERE id = new.of AND fence = $2', by: 'WHERE id = new.of AND $2::uuid IS NOT NULL' },
  { name: 'a failure of the receiver counts as delivered', seed: 1, scenario: 'webhooks', file: `${webhooks}/deliver.ts`, replace: 'if (status >= 200 && status < 300) return null;', by: 'if (status >= 200) return null;' },
  { name: 'a callback is given up too early', seed: 1, scenario: 'webhooks', file: `${webhooks}/deliveryStore.ts`, replace: `WHEN retry_at > give_up_at THEN 'given_up'`, by: `WHEN failures > 1 THEN 'given_up'` },
  { name: 'a callback is recorded outside of the transaction', seed: 1, scenario: 'webhooks', file: `${webhooks}/createWebhooks.ts`, replace: 'await insertDelivery(transaction, id,', by: 'await insertDelivery(database, id,' },
  { name: 'due callbacks are sent only after notifications', seed: 1, scenario: 'webhooks', file: `${webhooks}/sendDeliveries.ts`, replace: 'const pollMs = 2_000;', by: 'const pollMs = 86_400_000;' },
];
