import type { Connection } from '@vouch/platform/database/database';

const lockName = 'vouch:recommender-erasure';

/**
 * Delays erasures until the transaction ends. A transaction that stores rows about users calls this function first, so that an erasure either removes the rows, or
 * is over and the transaction sees the deletion of the user.
 */
export async function delayErasures(transaction: Connection): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lockName]);
}

/** Waits for the transactions that delayed erasures, and lets no other begin until this transaction ends. */
export async function beginErasure(transaction: Connection): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName]);
}

/** SQL: whether an entity was deleted, and not added again. */
export function isDeleted(organizationId: string, entityId: string): string {
  return `EXISTS (SELECT FROM hidden_entities AS deleted WHERE deleted.organization_id = ${organizationId} AND deleted.entity_id = ${entityId} AND deleted.reason = 'deleted')`;
}
