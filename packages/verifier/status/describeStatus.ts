import { plainText } from '@vouch/platform/log/plainText';
import { describeSeconds } from './describeSeconds.ts';
import type { Status } from './status.ts';

/** The status for people: the answer first, then what it rests on. */
export function describeStatus(status: Status, now: number): string {
  const { earning, membership, online, missed, alarms, chain_fault: chainFault } = status;
  const rows: [string, string][] = [
    ['Earning', `${earning.verdict}. ${earning.because}`],
    ['Node', `${status.node} on ${status.chain_name}`],
    ['Active', describeMembership(membership, now)],
    ['Last chosen', since(status.last_chosen, now)],
    ['Last report', since(status.last_reported, now)],
    ['Since it began', describeCounts(status.counts)],
    ['Online today', `${describeSeconds(online.today_seconds)} of ${describeSeconds(online.needed_seconds)} needed${online.counted_by === 'contract' ? ', as the contract counts' : ''}`],
    ...daysBefore(online, now),
    ['Rewards', status.rewards === null ? 'not known without the chain' : `${status.rewards.earned} credited, ${status.rewards.claimed} of them claimed`],
    ['Program', describeProgram(status.program, now)],
    ...(chainFault === null ? [] : [['Chain', `cannot be asked; what stands here is what the node kept. ${chainFault}`] satisfies [string, string]]),
    ...missed.map(({ attestation_id: id, deadline, why }): [string, string] => ['Missed', `${id}${deadline === null ? '' : `, until ${deadline}`}: ${why}`]),
    ...alarms.map(({ code, sentence, since: from }): [string, string] => ['Alarm', `${sentence} [${code}, ${since(from, now)}]`]),
  ];
  return rows.map(([name, text]) => `${name.padEnd(16)}${plainText(text)}\n`).join('');
}

function describeMembership(membership: Status['membership'], now: number): string {
  if (membership === null) return 'not known';
  const { active, weight, missed, from, as_of: asOf } = membership;
  const parts = [active ? 'yes' : 'no', ...(weight === null ? [] : [`weight ${weight}`]), ...(missed === null ? [] : [`${missed} missed since it entered`])];
  return `${parts.join(', ')}${from === 'chain' ? '' : ` (as of ${since(asOf, now)})`}`;
}

function describeCounts(counts: Status['counts']): string {
  if (counts === null) return 'nothing is kept here';
  return `chosen ${counts.chosen} times: ${counts.reported} reported, ${counts.missed} missed, ${counts.notVoted} without a vote; ${counts.announced} attestations seen`;
}

function daysBefore({ days }: Status['online'], now: number): [string, string][] {
  const today = new Date(now).toISOString().slice(0, 10);
  const before = days.filter(({ day }) => day !== today).map(({ day, seconds }) => `${day} ${describeSeconds(seconds)}`);
  return before.length === 0 ? [] : [['Days before', before.join(', ')]];
}

function describeProgram({ process, saved_at: savedAt, block, folder }: Status['program'], now: number): string {
  const runs = process === null ? 'not running' : `process ${process}`;
  return savedAt === null ? `${runs}; nothing is kept in ${folder}` : `${runs}; looked at block ${block}, saved ${since(savedAt, now)} in ${folder}`;
}

function since(time: string | null, now: number): string {
  return time === null ? 'never' : `${time}, ${describeSeconds(Math.max(0, Math.round((now - Date.parse(time)) / 1_000)))} ago`;
}
