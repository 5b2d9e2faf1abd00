import type { Database } from '@vouch/platform/database/database';
import { beginErasure } from './erasureLock.ts';

const ownRuns = 'run IN (SELECT run FROM experiments WHERE organization_id = $1)';

/**
 * Removes what is recorded about a deleted entity as a user: recorded answers and the lists of experiments are deleted. Its rows in the counts of experiments stay
 * without its id, because the counts of an arm would otherwise depend on who leaves.
 */
export async function eraseUser(database: Pick<Database, 'transaction'>, organizationId: string, id: string): Promise<void> {
  const values = [organizationId, id];
  await database.transaction(async (transaction) => {
    await beginErasure(transaction);
    await transaction.query('DELETE FROM recent_answers WHERE organization_id = $1 AND $2 = ANY(entity_ids)', values);
    await transaction.query(`DELETE FROM experiment_answers WHERE user_id = $2 AND ${ownRuns}`, values);
    for (const table of ['experiment_users', 'experiment_outcomes']) {
      // Another id in each table and experiment, so that the rows cannot be connected.
      await transaction.query(`UPDATE ${table} SET user_id = 'erased ' || gen_random_uuid() WHERE user_id = $2 AND ${ownRuns}`, values);
    }
  });
}
