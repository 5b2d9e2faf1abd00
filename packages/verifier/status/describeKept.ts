import { plainText } from '@vouch/platform/log/plainText';
import type { KeptAttestation } from '../state/nodeState.ts';
import { whyMissed } from './summarize.ts';

/** Describes what the node did about an attestation, one fact per line. */
export function describeKept(kept: KeptAttestation): string {
  const { block, transactionHash, chosenIndex, deadline, verdict, reason, judgedAt } = kept;
  const rows: [string, string][] = [
    ['Announced', `in block ${block}, transaction ${transactionHash}`],
    ['Chosen', chosenIndex === null ? (kept.state === 'notChosen' ? 'no, other nodes were' : 'not yet') : `index ${chosenIndex}, report due until ${iso((deadline ?? 0) * 1_000)}`],
    ['Verdict', judgedAt === null ? 'not judged yet' : `${verdict === null ? 'no vote' : verdict} [${reason}], at ${iso(judgedAt)}`],
    ...(chosenIndex === null ? [] : [['Report', describeReport(kept)] satisfies [string, string]]),
  ];
  return rows.map(([name, text]) => `${name.padEnd(11)}${plainText(text)}\n`).join('');
}

function describeReport(kept: KeptAttestation): string {
  const { state, reportedAt, attempts, lastError } = kept;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  if (state === 'reported') return attempts === 0 ? `on the chain since ${iso(reportedAt ?? 0)}, by another program with the same key` : `on the chain, seen at ${iso(reportedAt ?? 0)} after ${tries}`;
  if (state === 'missed' || state === 'withheld') return `missed: ${whyMissed(kept)}`;
  return `not on the chain yet, after ${tries}${lastError === null ? '' : `: ${lastError}`}`;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
