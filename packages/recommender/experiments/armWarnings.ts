import { Problem } from '@vouch/platform/errors/problem';
import type { Rule } from '../rules/inForce/rule.ts';
import { armNames, type ArmName } from './chooseArm.ts';
import type { ArmDefinition } from './experiment.schema.ts';
import type { ExperimentResults } from './experimentResults.schema.ts';
import type { Experiment } from './experimentStore.ts';

type Warnings = ExperimentResults['warnings'];

/**
 * Returns what has changed under an experiment since its start, so that its arms are no longer what they were: rules that were deleted, changed or left out,
 * and arms that can no longer answer.
 * @param rules of the organization
 * @param check throws the Problem with which an arm answers
 */
export async function warnOfArms(
  { definition: { arms }, startedAt }: Experiment, rules: readonly Rule[], check: (arm: ArmDefinition, name: ArmName) => Promise<void>,
): Promise<Warnings> {
  const warnings: Warnings = [];
  for (const name of armNames) {
    const arm = arms[name];
    const rule = rules.find((each) => each.name === arm.rule);
    if (arm.rule !== null && rule === undefined) {
      warnings.push({ code: 'rule-deleted', detail: `The rule ${JSON.stringify(arm.rule)} of arm ${name} was deleted, so arm ${name} answers without the rule. Make the rule again under another name, and start another experiment with the new rule.` });
      continue;
    }
    if (rule !== undefined) warnings.push(...warnOfRule(rule, arm, name, startedAt));
    await check(arm, name).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      warnings.push({ code: 'arm-cannot-answer', detail: `Requests of users of arm ${name} fail: ${error.detail}` });
    });
  }
  return warnings;
}

function warnOfRule(rule: Rule, { model_id: modelId }: ArmDefinition, name: ArmName, startedAt: Date): Warnings {
  const shown = `The rule ${JSON.stringify(rule.name)} of arm ${name}`;
  const { [modelId]: warning } = rule.warnings;
  return [
    ...(rule.updatedAt > startedAt ? [{ code: 'rule-changed' as const, detail: `${shown} was changed at ${rule.updatedAt.toISOString()}, after the start of the experiment, so earlier users got other lists. Start the experiment over: delete the experiment, and make it again.` }] : []),
    ...(rule.modelId !== null && rule.modelId !== modelId ? [{ code: 'rule-skipped' as const, detail: `${shown} applies to the model ${JSON.stringify(rule.modelId)} only, and the model of the arm is ${JSON.stringify(modelId)}.` }] : []),
    ...(warning === undefined || warning.isFollowed === true ? [] : [{ code: 'rule-skipped' as const, detail: `${shown} is left out of lists of version ${warning.version} of the model: ${warning.detail}.` }]),
  ];
}
