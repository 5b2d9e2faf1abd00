import type { Connection } from '@vouch/platform/database/database';
import { isDeleted } from '../erasure/erasureLock.ts';
import type { ArmName } from './chooseArm.ts';

/** A user who got an answer of an experiment. */
export interface Exposure {
  run: string;
  userId: string;
  /** Null if the arms share each list. */
  arm: ArmName | null;
  exposedAt: Date;
  /** Whether a list was empty. */
  empty: boolean;
}

/** An answer that the arms share. */
export interface SharedAnswer {
  run: string;
  recommendationId: string;
  userId: string;
  answeredAt: Date;
  itemsA: readonly string[];
  itemsB: readonly string[];
}

/** Stores users, each once: the first answer counts, and whether any list was empty. Users of runs that ended, and deleted users, are left out. */
export async function storeExposures(connection: Connection, exposures: readonly Exposure[]): Promise<void> {
  await connection.query(
    // Ordered, so that processes that store the same users do not wait for each other in a circle.
    `INSERT INTO experiment_users AS known (run, user_id, arm, exposed_at, empty)
     SELECT run, user_id, arm, exposed_at, empty
     FROM json_to_recordset($1::json) AS given (run uuid, user_id text, arm text, exposed_at timestamptz, empty boolean) JOIN experiments USING (run)
     WHERE NOT ${isDeleted('experiments.organization_id', 'given.user_id')}
     ORDER BY run, user_id
     ON CONFLICT (run, user_id) DO UPDATE SET exposed_at = least(known.exposed_at, excluded.exposed_at), empty = known.empty OR excluded.empty
     WHERE excluded.exposed_at < known.exposed_at OR (excluded.empty AND NOT known.empty)`,
    [JSON.stringify(exposures.map(({ run, userId, arm, exposedAt, empty }) => ({ run, user_id: userId, arm, exposed_at: exposedAt, empty })))],
  );
}

/** Stores the answers that arms share. Answers of runs that ended, and of deleted users, are left out. */
export async function storeSharedAnswers(connection: Connection, answers: readonly SharedAnswer[]): Promise<void> {
  const rows = answers.map(({ run, recommendationId, userId, answeredAt, itemsA, itemsB }) => ({
    run, recommendation_id: recommendationId, user_id: userId, answered_at: answeredAt, items_a: itemsA, items_b: itemsB,
  }));
  await connection.query(
    `INSERT INTO experiment_answers (run, recommendation_id, user_id, answered_at, items_a, items_b)
     SELECT run, recommendation_id, user_id, answered_at, items_a, items_b
     FROM json_to_recordset($1::json) AS given (run uuid, recommendation_id text, user_id text, answered_at timestamptz, items_a text[], items_b text[]) JOIN experiments USING (run)
     WHERE NOT ${isDeleted('experiments.organization_id', 'given.user_id')}
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(rows)],
  );
}
