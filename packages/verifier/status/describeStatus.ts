import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { plainText } from '@vouch/platform/log/plainText';
import type { ShownDay, Status } from './status.ts';

/** The status as text: whether the node earns, then the facts behind the answer. */
export function describeStatus(status: Status, now: number): string {
  const { earning, membership, today, online, missed, alarms, chain_fault: chainFault } = status;
  const rows: [string, string][] = [
    ['Earning', `${earning.verdict}. ${earning.because}`],
    ['Node', `${status.node} on ${status.chain_name}`],
    ['Active', describeMembership(membership, now)],
    ['Last chosen', since(status.last_chosen, now)],
    ['Last report', since(status.last_reported, now)],
    ['In total', describeCounts(status.counts)],
    ['Today', describeToday(today, now)],
    ...describeDays(status),
    ['Rewards', describeRewards(status.rewards)],
    ['Online', [`${describeSeconds(online.today_seconds)} today (UTC), measured by the program`, ...daysBefore(online, now)].join('; before: ')],
    ['Program', describeProgram(status.program, now)],
    ...(chainFault === null ? [] : [['Chain', `not reachable; these values are from the state of the node. ${chainFault}`] satisfies [string, string]]),
    ...missed.map(({ attestation_id: id, deadline, why }): [string, string] => ['Missed', `${id}${deadline === null ? '' : `, until ${deadline}`}: ${why}`]),
    ...alarms.map((alarm) => describeAlarm(alarm, status.program, now)),
  ];
  return rows.map(([name, text]) => `${name.padEnd(16)}${plainText(text)}\n`).join('');
}

/** A stopped program neither checks nor ends its alarms. */
function describeAlarm({ code, sentence, since: from }: Status['alarms'][number], { process, saved_at: savedAt }: Status['program'], now: number): [string, string] {
  if (process !== null) return ['Alarm', `${sentence} [${code}, ${since(from, now)}]`];
  return ['Last alarm', `${sentence} [${code}, ${since(from, now)}; as of ${since(savedAt, now)}, when the program last ran]`];
}

function describeMembership(membership: Status['membership'], now: number): string {
  if (membership === null) return 'not known';
  const { active, weight, missed, from, as_of: asOf } = membership;
  const parts = [active ? 'yes' : 'no', ...(weight === null ? [] : [`weight ${weight}`]), ...(missed === null ? [] : [`missed reports: ${missed}`])];
  return `${parts.join(', ')}${from === 'chain' ? '' : ` (as of ${since(asOf, now)})`}`;
}

function describeCounts(counts: Status['counts']): string {
  if (counts === null) return 'no state';
  return `chosen ${counts.chosen} times: ${counts.reported} reported, ${counts.missed} missed, ${counts.notVoted} without a vote; ${counts.announced} attestations announced`;
}

/** Describes how much of today's active time is reached and how much is missing. */
function describeToday(today: Status['today'], now: number): string {
  if (today === null) return 'not known: the contract does not return its days, or the chain is not reachable';
  const { day, ends_at: end, active_seconds: active, needed_seconds: needed, missing_seconds: missing, credited, from, as_of: asOf } = today;
  const hours = needed === null ? `active for ${describeSeconds(active)}; the contract does not return the required time` : `active for ${describeSeconds(active)} of ${describeSeconds(needed)} needed`;
  const lacks = credited === true ? 'credited' : credited === null ? 'the contract does not return whether the day is credited' : missing === null ? 'not credited' : missing > 0 ? `${describeSeconds(missing)} missing` : 'active long enough, not credited yet';
  return `day ${day}, until ${end}: ${hours}; ${lacks}${from === 'chain' ? '' : ` (as of ${since(asOf, now)})`}`;
}

/** Returns a line for each of the contract's days before today. */
function describeDays({ days, today }: Status): [string, string][] {
  if (days === null) return [];
  const lines = days.map((each): [string, string] => [`Day ${each.day}`, `${each.begins_at.slice(0, 16)}Z  ${describeCredit(each).padEnd(24)}${describeExpected(each.expected)}`.trimEnd()]);
  return today?.credited === null ? [] : lines;
}

function describeCredit({ credited, weight, lost }: ShownDay): string {
  if (credited === true) return `credited, weight ${weight}`;
  if (lost === true) return 'LOST: not credited';
  return credited === null ? 'not known' : 'not credited yet';
}

function describeExpected(expected: ShownDay['expected']): string {
  return expected === null ? '' : `expected ${expected.node} for the node, ${expected.delegators} for its licenses`;
}

function describeRewards(rewards: Status['rewards']): string {
  if (rewards === null) return 'not known without the chain';
  const { earned, claimed, claimable, expected } = rewards;
  const waiting = expected === null ? 'the contract does not return the rewards of further days' : `${expected.node} expected from unsettled days`;
  return `${earned} earned by the node, ${claimed} claimed or slashed, ${claimable} claimable; ${waiting}`;
}

function daysBefore({ days }: Status['online'], now: number): string[] {
  const today = new Date(now).toISOString().slice(0, 10);
  const before = days.filter(({ day }) => day !== today).map(({ day, seconds }) => `${day} ${describeSeconds(seconds)}`);
  return before.length === 0 ? [] : [before.join(', ')];
}

function describeProgram({ process, saved_at: savedAt, block, folder }: Status['program'], now: number): string {
  const runs = process === null ? 'not running' : `process ${process}`;
  return savedAt === null ? `${runs}; no state in ${folder}` : `${runs}; processed up to block ${block}, saved ${since(savedAt, now)} in ${folder}`;
}

function since(time: string | null, now: number): string {
  return time === null ? 'never' : `${time}, ${describeSeconds(Math.max(0, Math.round((now - Date.parse(time)) / 1_000)))} ago`;
}
