import { showAddress } from '@vouch/chain/messages/showAddress';
import { formatEther } from 'viem/utils';
import type { KeptAttestation, NodeState } from '../state/nodeState.ts';
import type { ChainView } from './chainView.ts';
import { describeSeconds } from './describeSeconds.ts';
import type { FoundState } from './findState.ts';
import type { Status } from './status.ts';

/** What a status is made of. */
export interface Known {
  found: FoundState;
  chainName: string;
  /** Null where no node has run with this key here. */
  state: NodeState | null;
  /** A sentence where the chain cannot be asked. */
  chain: ChainView | string;
  /** The process that works in the folder; null where none does. */
  process: number | null;
  /** Milliseconds. */
  now: number;
}

/** The published rules, for where no contract tells its own. */
const usual = { onlineSecondsMin: 6 * 3_600, daySeconds: 86_400 } as const;
const missedShown = 5;
/** A running node saves once a minute at least. */
export const silentMsMax = 600_000;

/** Whether the node earns, and what that follows from. */
export function summarize(known: Known): Status {
  const { found, chainName, state, chain, process, now } = known;
  const membership = membershipOf(known);
  const online = onlineOf(known);
  const seen = typeof chain === 'string' ? null : chain;
  return {
    node: showAddress(found.node), chain_name: chainName,
    earning: judge(known, membership, online),
    membership, online,
    last_chosen: iso(state?.lastChosenAt), last_reported: iso(state?.lastReportedAt), counts: state?.counts ?? null,
    missed: missedOf(state),
    rewards: seen === null ? null : { earned: formatEther(seen.earned), claimed: formatEther(seen.claimed) },
    program: { process, saved_at: iso(state?.savedAt), block: state?.checkpoints.at(-1)?.block ?? null, stands_by: state?.standby?.because ?? null, folder: found.folder },
    chain_fault: typeof chain === 'string' ? chain : null,
    alarms: (state?.alarms ?? []).map(({ since, ...alarm }) => ({ ...alarm, since: new Date(Math.min(since, now)).toISOString() })),
  };
}

function membershipOf({ state, chain }: Known): Status['membership'] {
  if (typeof chain !== 'string') return { active: chain.active, weight: chain.weight, missed: chain.missed, from: 'chain', as_of: new Date(chain.time * 1_000).toISOString() };
  if (state === null || state.membership.readAt === null) return null;
  const { active, weight, missed, readAt } = state.membership;
  return { active, weight, missed, from: 'state', as_of: iso(Math.max(readAt, state.chainSeenAt ?? 0)) };
}

/** Days of a local chain are minutes, which only the contract counts. */
function onlineOf({ state, chain, now }: Known): Status['online'] {
  const days = state?.online ?? [];
  const rules = typeof chain === 'string' ? usual : (chain.rules ?? usual);
  if (typeof chain !== 'string' && rules.daySeconds !== usual.daySeconds) {
    const dayStart = chain.time - (chain.time % rules.daySeconds);
    const today = chain.active ? chain.time - Math.max(dayStart, chain.enteredAt ?? chain.time) : 0;
    return { today_seconds: Math.max(0, today), needed_seconds: rules.onlineSecondsMin, counted_by: 'contract', days };
  }
  const today = new Date(now).toISOString().slice(0, 10);
  return { today_seconds: days.find(({ day }) => day === today)?.seconds ?? 0, needed_seconds: rules.onlineSecondsMin, counted_by: 'this program', days };
}

function judge({ state, chain, process, now }: Known, membership: Status['membership'], online: Status['online']): Status['earning'] {
  const no = (because: string): Status['earning'] => ({ verdict: 'no', because });
  if (state === null) {
    const elsewhere = typeof chain !== 'string' && chain.active ? ' The chain has it in the active set, so it runs elsewhere, or is about to miss reports.' : '';
    return no(`No node has run with this key here: start verifier.${elsewhere}`);
  }
  if (process === null) return no(`The program is not running, and has not since ${iso(state.savedAt)} at the latest: start verifier.`);
  if (now - state.savedAt > silentMsMax) return no(`The program (process ${process}) has kept nothing for ${describeSeconds(Math.round((now - state.savedAt) / 1_000))}: it hangs, or the machine slept. Start it anew.`);
  if (membership === null) return no(`The program runs, and the chain has not answered yet: ${typeof chain === 'string' ? chain : 'look at its log'}`);
  if (membership.weight === 0) return no('No license is held by this node\'s address or delegated to it: delegate one.');
  if (!membership.active) return no(state.alarms.find(({ code }) => code === 'cannot-enter' || code === 'cleared')?.sentence ?? 'The node is not in the active set; the program is about to enter, and its log says where it stands.');
  return judgeActive(state, membership, online);
}

function judgeActive(state: NodeState, { missed }: NonNullable<Status['membership']>, online: Status['online']): Status['earning'] {
  const spoilt = missed === null || missed === 0 ? '' : ` ${missed === 1 ? 'A report was' : `${missed} reports were`} missed since it entered; a few put it out.`;
  if (state.standby !== null) return { verdict: 'yes', because: `Another program reports with the same key, and this one stands by.${spoilt}` };
  const [today, needed] = [describeSeconds(online.today_seconds), describeSeconds(online.needed_seconds)];
  if (online.today_seconds >= online.needed_seconds) return { verdict: 'yes', because: `The node is active, and was online for ${today} today; ${needed} are needed.${spoilt}` };
  return { verdict: 'not yet', because: `The node is active, and needs ${describeSeconds(online.needed_seconds - online.today_seconds)} more today: ${today} of ${needed}.${spoilt}` };
}

function missedOf(state: NodeState | null): Status['missed'] {
  const lost = (state?.attestations ?? []).filter((each) => each.state === 'missed' || each.state === 'withheld');
  return lost.toReversed().slice(0, missedShown).map((each) => ({
    attestation_id: each.attestationId, deadline: each.deadline === null ? null : new Date(each.deadline * 1_000).toISOString(), why: whyMissed(each),
  }));
}

/** Why a report is not on the chain, as far as the node itself knows. */
export function whyMissed({ verdict, sentence, lastError, attempts, chosenAt, deadline }: KeptAttestation): string {
  if (verdict === null) return `no vote could be given: ${sentence ?? 'it was never judged'}`;
  if (lastError !== null) return lastError;
  if (chosenAt !== null && deadline !== null && chosenAt > deadline * 1_000) return 'the program learned of it only after the deadline: it did not run, or could not read the chain';
  return attempts === 0 ? 'it was never sent: the program stopped before' : `it was sent ${attempts === 1 ? 'once' : `${attempts} times`}, and did not get onto the chain in time`;
}

function iso(milliseconds: number | null | undefined): string | null {
  return milliseconds === null || milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
