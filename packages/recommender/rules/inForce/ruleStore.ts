import type { Connection } from '@vouch/platform/database/database';
import type { Rule, RuleWarning } from './rule.ts';

/** Notification channel for changed rules; the payload is empty. */
export const rulesChannel = 'recommender_rules';

/** Maximum number of rules of an organization. */
export const maxRules = 100;

interface RuleRow {
  organization_id: string;
  name: string;
  filter: string | null;
  boost: string | null;
  model_id: string | null;
  valid_from: Date | null;
  valid_until: Date | null;
  enabled: boolean;
  created_at: Date;
  updated_at: Date;
  warnings: Record<string, RuleWarning>;
}

function toRule(row: RuleRow): Rule {
  return {
    organizationId: row.organization_id, name: row.name, filter: row.filter, boost: row.boost, modelId: row.model_id,
    validFrom: row.valid_from, validUntil: row.valid_until, enabled: row.enabled, createdAt: row.created_at, updatedAt: row.updated_at, warnings: row.warnings,
  };
}

/**
 * Makes or replaces a rule. A replaced rule keeps `createdAt` and loses its warnings.
 * @returns null if the organization has the maximum number of rules and none of this name
 */
export async function putRule(transaction: Connection, rule: Omit<Rule, 'createdAt' | 'warnings'>): Promise<Rule | null> {
  await announceChange(transaction, rule.organizationId);
  const { rows } = await transaction.query<RuleRow>(
    `INSERT INTO rules (organization_id, name, filter, boost, model_id, valid_from, valid_until, enabled, created_at, updated_at)
     SELECT $1, $2, $3, $4, $5, $6::timestamptz, $7::timestamptz, $8::boolean, $9::timestamptz, $9::timestamptz
     WHERE (SELECT count(*) FROM rules WHERE organization_id = $1 AND name <> $2) < $10
     ON CONFLICT (organization_id, name) DO UPDATE SET
       filter = excluded.filter, boost = excluded.boost, model_id = excluded.model_id, valid_from = excluded.valid_from, valid_until = excluded.valid_until,
       enabled = excluded.enabled, updated_at = excluded.updated_at, warnings = '{}'
     RETURNING *`,
    [rule.organizationId, rule.name, rule.filter, rule.boost, rule.modelId, rule.validFrom, rule.validUntil, rule.enabled, rule.updatedAt, maxRules],
  );
  return rows[0] === undefined ? null : toRule(rows[0]);
}

/** Deletes a rule. @returns the deleted rule, null if there was none */
export async function deleteRule(transaction: Connection, organizationId: string, name: string): Promise<Rule | null> {
  await announceChange(transaction, organizationId);
  const { rows } = await transaction.query<RuleRow>('DELETE FROM rules WHERE organization_id = $1 AND name = $2 RETURNING *', [organizationId, name]);
  return rows[0] === undefined ? null : toRule(rows[0]);
}

/** Lists the rules of organizations by name. */
export async function listRules(connection: Connection, organizationIds: readonly string[]): Promise<Rule[]> {
  const { rows } = await connection.query<RuleRow>('SELECT * FROM rules WHERE organization_id = ANY($1) ORDER BY organization_id, name', [organizationIds]);
  return rows.map(toRule);
}

export async function findRule(connection: Connection, organizationId: string, name: string): Promise<Rule | null> {
  const { rows } = await connection.query<RuleRow>('SELECT * FROM rules WHERE organization_id = $1 AND name = $2', [organizationId, name]);
  return rows[0] === undefined ? null : toRule(rows[0]);
}

/** Lists the enabled rules of all organizations that have warnings. */
export async function listWarnedRules(connection: Connection): Promise<Rule[]> {
  const { rows } = await connection.query<RuleRow>(`SELECT * FROM rules WHERE enabled AND warnings <> '{}' ORDER BY organization_id, name`);
  return rows.map(toRule);
}

/** Returns the organizations whose rules changed after a number, and the number of the last change. */
export async function listChanges(connection: Connection, after: number): Promise<{ organizationIds: string[]; last: number }> {
  const { rows } = await connection.query<{ organization_id: string; change: string }>('SELECT organization_id, change FROM rule_changes WHERE change > $1 ORDER BY change', [after]);
  return { organizationIds: rows.map((row) => row.organization_id), last: Number(rows.at(-1)?.change ?? after) };
}

/**
 * Stores or removes the warning of a rule for a model, unless the rule was changed meanwhile.
 * @param warning null to remove the warning
 */
export async function storeWarning(transaction: Connection, rule: Rule, modelId: string, warning: RuleWarning | null): Promise<void> {
  await announceChange(transaction, rule.organizationId);
  await transaction.query(
    `UPDATE rules SET warnings = CASE WHEN $5::jsonb IS NULL THEN warnings - $4::text ELSE warnings || jsonb_build_object($4::text, $5::jsonb) END
     WHERE organization_id = $1 AND name = $2 AND updated_at = $3`,
    [rule.organizationId, rule.name, rule.updatedAt, modelId, warning === null ? null : JSON.stringify(warning)],
  );
}

/** Numbers the change. Holds a lock until the end of the transaction, so that no number becomes visible before a smaller one. */
async function announceChange(transaction: Connection, organizationId: string): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', ['vouch:recommender-rules']);
  await transaction.query(
    `INSERT INTO rule_changes (organization_id, change) VALUES ($1, (SELECT coalesce(max(change), 0) + 1 FROM rule_changes))
     ON CONFLICT (organization_id) DO UPDATE SET change = excluded.change`,
    [organizationId],
  );
  await transaction.query(`NOTIFY ${rulesChannel}`);
}
