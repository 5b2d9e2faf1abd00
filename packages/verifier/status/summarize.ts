import { showAddress } from '@vouch/chain/messages/showAddress';
import { formatEther } from 'viem/utils';
import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import type { NodeDay } from '../rewards/fetchDays.ts';
import type { KeptAttestation, NodeState } from '../state/nodeState.ts';
import type { ChainView } from './chainView.ts';
import type { FoundState } from './findState.ts';
import type { ShownDay, Status } from './status.ts';

/** The inputs of a status. */
export interface Known {
  found: FoundState;
  chainName: string;
  /** Null if no node has run with this key here. */
  state: NodeState | null;
  /** A sentence if the chain cannot be reached. */
  chain: ChainView | string;
  /** Id of the process that uses the folder; null if there is none. */
  process: number | null;
  /** Who reports the node's days to the contract: the gateway, or the node itself. */
  reports: 'gateway' | 'itself';
  /** Whether `verifier exit` keeps the running program out of the active set. */
  left: boolean;
  /** Current time, milliseconds since 1970. */
  now: number;
}

const missedShown = 5;
/** A running node saves its state at least once a minute. */
export const maxSilentMs = 600_000;

/** Decides whether the node earns, and collects the facts behind the answer. */
export function summarize(known: Known): Status {
  const { found, chainName, state, chain, process, now } = known;
  const membership = membershipOf(known);
  const today = todayOf(known);
  const seen = typeof chain === 'string' ? null : chain;
  const days = seen?.days?.days.filter((day, place) => place === 0 || day.lost === true || (day.creditedWeight ?? 0) > 0).map(showDay) ?? null;
  return {
    node: showAddress(found.node), chain_name: chainName,
    earning: judge(known, membership, today, days?.find(({ lost }) => lost === true) ?? null),
    membership, today, days,
    last_chosen: iso(state?.lastChosenAt), last_reported: iso(state?.lastReportedAt), counts: state?.counts ?? null,
    missed: missedOf(state), online: onlineOf(known),
    rewards: seen === null ? null : rewardsOf(seen),
    program: { process, saved_at: iso(state?.savedAt), block: state?.checkpoints.at(-1)?.block ?? null, stands_by: state?.standby?.because ?? null, folder: found.folder },
    chain_fault: typeof chain === 'string' ? chain : null,
    alarms: (state?.alarms ?? []).map(({ since, ...alarm }) => ({ ...alarm, since: new Date(Math.min(since, now)).toISOString() })),
  };
}

function showDay({ index, begin, creditedWeight, lost, expected }: NodeDay): ShownDay {
  return {
    day: index, begins_at: isoSeconds(begin), credited: creditedWeight === null ? null : creditedWeight > 0, weight: creditedWeight, lost,
    expected: expected === null ? null : { node: formatEther(expected.node), delegators: formatEther(expected.delegators) },
  };
}

function rewardsOf({ earned, claimed, days }: ChainView): NonNullable<Status['rewards']> {
  const shares = days?.days.filter((day) => (day.creditedWeight ?? 0) > 0).flatMap(({ expected }) => expected ?? []) ?? [];
  const told = days !== null && days.days.some(({ creditedWeight }) => creditedWeight !== null);
  const sum = (part: 'node' | 'delegators'): string => formatEther(shares.reduce((total, share) => total + share[part], 0n));
  return {
    earned: formatEther(earned), claimed: formatEther(claimed), claimable: formatEther(earned > claimed ? earned - claimed : 0n),
    expected: told ? { node: sum('node'), delegators: sum('delegators') } : null,
  };
}

function membershipOf({ state, chain }: Known): Status['membership'] {
  if (typeof chain !== 'string') return { active: chain.active, weight: chain.weight, missed: chain.missed, from: 'chain', as_of: new Date(chain.time * 1_000).toISOString() };
  if (state === null || state.membership.readAt === null) return null;
  const { active, weight, missed, readAt } = state.membership;
  return { active, weight, missed, from: 'state', as_of: iso(Math.max(readAt, state.chainSeenAt ?? 0)) };
}

function onlineOf({ state, now }: Known): Status['online'] {
  const days = state?.online ?? [];
  const today = new Date(now).toISOString().slice(0, 10);
  return { today_seconds: days.find(({ day }) => day === today)?.seconds ?? 0, days };
}

/** Returns the contract's current day from the chain; without the chain, the last stored day if it has not ended. */
function todayOf({ state, chain, now }: Known): Status['today'] {
  if (typeof chain !== 'string') {
    if (chain.days === null) return null;
    const { neededSeconds, activeSeconds, days: [today] } = chain.days;
    return showToday(today, neededSeconds, activeSeconds, { from: 'chain', as_of: isoSeconds(chain.time) });
  }
  const kept = state?.day ?? null;
  if (state === null || kept === null || now >= kept.end * 1_000) return null;
  const { active, activeSince } = state.membership;
  const activeSeconds = active ? Math.max(0, Math.floor((now - Math.max(kept.begin * 1_000, activeSince ?? now)) / 1_000)) : 0;
  return showToday(kept, kept.neededSeconds, activeSeconds, { from: 'state', as_of: new Date(kept.readAt).toISOString() });
}

function showToday(
  { index, begin, end, creditedWeight }: Pick<NodeDay, 'index' | 'begin' | 'end' | 'creditedWeight'>, needed: number | null, active: number, source: Pick<NonNullable<Status['today']>, 'from' | 'as_of'>,
): NonNullable<Status['today']> {
  return {
    day: index, begins_at: isoSeconds(begin), ends_at: isoSeconds(end), active_seconds: active, needed_seconds: needed,
    missing_seconds: needed === null ? null : Math.max(0, needed - active), credited: creditedWeight === null ? null : creditedWeight > 0, ...source,
  };
}

function judge(known: Known, membership: Status['membership'], today: Status['today'], lost: ShownDay | null): Status['earning'] {
  const { state, chain, process, left, now } = known;
  const no = (because: string): Status['earning'] => ({ verdict: 'no', because });
  if (state === null && process !== null) return no(`The program (process ${process}) runs and has not saved its state since its start: the chain has not answered yet, or the disk is full. See its log.`);
  if (state === null) {
    const elsewhere = typeof chain !== 'string' && chain.active ? ' The node is in the active set, so it runs elsewhere or is about to miss reports.' : '';
    return no(`No node has run with this key on this machine: start verifier.${elsewhere}`);
  }
  if (process === null) return no(`The program is not running; its last sign of life was at ${iso(state.savedAt)}: start verifier.`);
  if (now - state.savedAt > maxSilentMs) return no(`The program (process ${process}) has not saved its state for ${describeSeconds(Math.round((now - state.savedAt) / 1_000))}: it hangs, or the machine was suspended. Restart the program.`);
  if (membership === null) return no(`The program runs, and the chain has not answered yet: ${typeof chain === 'string' ? chain : 'see its log'}`);
  if (membership.weight === 0) return no('This node has no license: delegate a license to its Ethereum address.');
  if (!membership.active && left) return no('The node is not in the active set: `verifier exit` was used, and the running program does not enter again: restart verifier to enter.');
  if (!membership.active) return no(state.alarms.find(({ code }) => code === 'cannot-enter' || code === 'cleared')?.sentence ?? 'The node is not in the active set; the program is about to enter, see its log.');
  const notes = [noteStandby(state), noteMissed(membership.missed), lost === null ? '' : `Day ${lost.day} ended without credit although the node was active long enough.`].filter((note) => note !== '');
  const { verdict, because } = judgeToday(today, known);
  return { verdict, because: [because, ...notes].join(' ') };
}

function noteStandby({ standby }: NodeState): string {
  return standby === null ? '' : 'Another program reports with the same key, so this program stands by.';
}

function noteMissed(missed: number | null): string {
  return missed === null || missed === 0 ? '' : `The contract counts ${missed === 1 ? 'a missed report' : `${missed} missed reports`} of this node; a node with too many is removed from the active set.`;
}

/** Decides whether the node earns. Only the contract's own record of the day counts. */
function judgeToday(today: Status['today'], { chain, reports }: Known): Status['earning'] {
  if (today === null) {
    return { verdict: 'not known', because: typeof chain === 'string' ? 'The node was active when the chain was last read; the chain is not reachable, so it is unknown whether the contract credits this day.' : 'The node is active; the contract does not return its days.' };
  }
  const { day, ends_at: end, active_seconds: active, needed_seconds: needed, missing_seconds: missing, credited } = today;
  if (credited === true) return { verdict: 'yes', because: `The contract has credited day ${day} to the node.` };
  const counted = needed === null ? `for ${describeSeconds(active)}` : `for ${describeSeconds(active)} of the required ${describeSeconds(needed)}`;
  if (credited === null) return { verdict: 'not known', because: `The node was active ${counted} on day ${day}; the contract does not return whether a day is credited.` };
  if (missing !== null && missing > 0) {
    const tooLate = missing > (Date.parse(end) - Date.parse(today.as_of)) / 1_000;
    return { verdict: 'not yet', because: `The node is active and needs ${describeSeconds(missing)} more on day ${day}: ${describeSeconds(active)} of ${describeSeconds(needed ?? 0)}.${tooLate ? ` The day ends earlier, at ${end}; the next day can be credited.` : ''}` };
  }
  const who = reports === 'gateway' ? 'The gateway reports the day (its setting VOUCH_KEEPER)' : 'This program reports the day';
  return { verdict: 'not yet', because: `The node was active ${counted} on day ${day}, but the contract has not credited the day: the day must be reported before ${end}. ${who}; any account can call nodeReportDailyActive.` };
}

function missedOf(state: NodeState | null): Status['missed'] {
  const lost = (state?.attestations ?? []).filter((each) => each.state === 'missed' || each.state === 'withheld');
  return lost.toReversed().slice(0, missedShown).map((each) => ({
    attestation_id: each.attestationId, deadline: each.deadline === null ? null : new Date(each.deadline * 1_000).toISOString(), why: whyMissed(each),
  }));
}

/** Explains why a report is not on the chain, from the node's own record. */
export function whyMissed({ verdict, sentence, lastError, attempts, chosenAt, deadline }: KeptAttestation): string {
  if (verdict === null) return `no vote was possible: ${sentence ?? 'the attestation was never judged'}`;
  if (lastError !== null) return lastError;
  if (chosenAt !== null && deadline !== null && chosenAt > deadline * 1_000) return 'the program learned of the attestation only after the deadline: it was stopped, or could not read the chain';
  return attempts === 0 ? 'the report was never sent: the program stopped before' : `the report was sent ${attempts === 1 ? 'once' : `${attempts} times`}, but did not reach the chain in time`;
}

function iso(milliseconds: number | null | undefined): string | null {
  return milliseconds === null || milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}

function isoSeconds(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
