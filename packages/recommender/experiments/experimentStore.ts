import type { Connection } from '@vouch/platform/database/database';
import type { ExperimentDefinition } from './experiment.schema.ts';

/** Notification channel for changed experiments; the payload is empty. */
export const experimentsChannel = 'recommender_experiments';

/** Maximum number of experiments of an organization. */
export const maxExperiments = 100;

export interface Experiment {
  organizationId: string;
  id: string;
  /** Changes with the definition. */
  run: string;
  definition: ExperimentDefinition;
  startedAt: Date;
  /** Interactions that arrived before this time are counted; null before the first count. */
  countedUntil: Date | null;
}

interface ExperimentRow {
  organization_id: string;
  experiment_id: string;
  run: string;
  definition: ExperimentDefinition;
  started_at: Date;
  counted_until: Date | null;
}

function toExperiment(row: ExperimentRow): Experiment {
  return {
    organizationId: row.organization_id, id: row.experiment_id, run: row.run, definition: row.definition, startedAt: row.started_at, countedUntil: row.counted_until,
  };
}

/**
 * Makes an experiment, or replaces its definition and starts it over. The same definition changes nothing.
 * @returns null if the organization has the maximum number of experiments and none with this id
 */
export async function putExperiment(transaction: Connection, experiment: Omit<Experiment, 'countedUntil'>): Promise<Experiment | null> {
  const { organizationId, id } = experiment;
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`vouch:recommender-experiments:${organizationId}`]);
  const { rows: same } = await transaction.query<ExperimentRow>(
    'SELECT * FROM experiments WHERE organization_id = $1 AND experiment_id = $2 AND definition = $3::jsonb', [organizationId, id, JSON.stringify(experiment.definition)]);
  if (same[0] !== undefined) return toExperiment(same[0]);
  await deleteExperiment(transaction, organizationId, id);
  const { rows } = await transaction.query<ExperimentRow>(
    `INSERT INTO experiments (organization_id, experiment_id, run, definition, started_at, counted_through)
     SELECT $1, $2, $3::uuid, $4::jsonb, $5::timestamptz, (SELECT coalesce(max(sequence), 0) FROM events)
     WHERE (SELECT count(*) FROM experiments WHERE organization_id = $1) < $6
     RETURNING *`,
    [organizationId, id, experiment.run, JSON.stringify(experiment.definition), experiment.startedAt, maxExperiments],
  );
  await transaction.query(`NOTIFY ${experimentsChannel}`);
  return rows[0] === undefined ? null : toExperiment(rows[0]);
}

/** Deletes an experiment with its users and outcomes. @returns the deleted experiment, null if there was none */
export async function deleteExperiment(transaction: Connection, organizationId: string, id: string): Promise<Experiment | null> {
  const { rows } = await transaction.query<ExperimentRow>('DELETE FROM experiments WHERE organization_id = $1 AND experiment_id = $2 RETURNING *', [organizationId, id]);
  await transaction.query(`NOTIFY ${experimentsChannel}`);
  return rows[0] === undefined ? null : toExperiment(rows[0]);
}

/** Lists the experiments of an organization by id; of all organizations if none is given. */
export async function listExperiments(connection: Connection, organizationId: string | null): Promise<Experiment[]> {
  const { rows } = await connection.query<ExperimentRow>(
    'SELECT * FROM experiments WHERE $1::text IS NULL OR organization_id = $1 ORDER BY organization_id, experiment_id', [organizationId]);
  return rows.map(toExperiment);
}

export async function findExperiment(connection: Connection, organizationId: string, id: string): Promise<Experiment | null> {
  const { rows } = await connection.query<ExperimentRow>('SELECT * FROM experiments WHERE organization_id = $1 AND experiment_id = $2', [organizationId, id]);
  return rows[0] === undefined ? null : toExperiment(rows[0]);
}
