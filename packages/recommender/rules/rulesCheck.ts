import type { Database } from '@vouch/platform/database/database';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck } from '@vouch/platform/product/product';
import { recommenderFindings } from '../errors/recommenderFindings.ts';
import { statusOf, type Rule } from './inForce/rule.ts';
import { listWarnedRules } from './inForce/ruleStore.ts';

/** Reports the rules that are in force, but that lists of a model do without, or with which every list is empty. */
export function rulesCheck(platform: { database: Database; clock: Clock }): DoctorCheck {
  return { name: 'rules', run: () => checkRules(platform) };
}

async function checkRules({ database, clock }: { database: Database; clock: Clock }): Promise<Finding[]> {
  const { rows } = await database.query<{ there: boolean }>(`SELECT to_regclass('rules') IS NOT NULL AS there`);
  if (rows[0]?.there !== true) return [{ status: 'ok', detail: 'no rule was made yet' }];
  const warned = (await listWarnedRules(database)).filter((rule) => statusOf(rule, clock.now()) === 'in_force');
  if (warned.length === 0) return [{ status: 'ok', detail: 'every rule in force applies to the lists of its models' }];
  return warned.map(toFinding);
}

function toFinding({ organizationId, name, warnings }: Rule): Finding {
  const models = Object.entries(warnings).map(([modelId, { version, detail }]) => `version ${version} of the model ${modelId}: ${detail}`);
  const effect = Object.values(warnings).every(({ isFollowed }) => isFollowed === true) ? 'every list is empty with it' : 'lists do without it';
  return recommenderFindings.found(
    'rule-skipped', `the rule ${name} of the organization ${organizationId} is in force, but ${effect}; ${models.join('; ')}`,
  );
}
