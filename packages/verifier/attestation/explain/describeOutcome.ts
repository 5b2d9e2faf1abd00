import { stepTitles, type Outcome, type StepValue } from '../outcome.ts';
import { plainText } from '@vouch/platform/log/plainText';

const marks = { passed: 'ok  ', failed: 'FAIL', 'not reached': '–   ' } as const;
const verdicts = {
  valid: 'valid (result 0)', invalid: 'invalid (result 1)', malicious: 'malicious (result 2)', 'no-vote': 'no vote: this node lacks collateral',
} as const;

/** Formats an outcome as text for operators: first the verdict, then each step with its values, then the collateral files it relied on. */
export function describeOutcome(outcome: Outcome): string {
  const steps = outcome.steps.flatMap(({ name, outcome: made, values }) => [
    `${marks[made]} ${stepTitles[name]}`,
    ...Object.entries(values).map(([key, value]) => `       ${key}: ${describeValue(value)}`),
  ]);
  const files = outcome.collateralFiles.length === 0 ? 'no policy was needed' : outcome.collateralFiles.map(plainText).join(', ');
  return [
    `Attestation ${outcome.attestationId}`,
    `Judged for ${outcome.date}: ${verdicts[outcome.kind]}`,
    `${plainText(outcome.sentence)} [${outcome.reason}]`,
    '', ...steps, '', `Collateral: ${files}`, '',
  ].join('\n');
}

function describeValue(value: StepValue): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return plainText(typeof value === 'object' ? value.join(' ') : String(value));
}
