import type { NodeState } from '../state/nodeState.ts';

/** Result of `verifier status`, with the field names of its JSON. Times are ISO 8601, durations seconds, amounts tokens. */
export interface Status {
  node: string;
  chain_name: string;
  /** `yes`: the contract has credited its current day. `not known`: the contract does not publish its credits. */
  earning: { verdict: 'yes' | 'not yet' | 'no' | 'not known'; because: string };
  /** Null if neither the chain nor the stored state has it. */
  membership: { active: boolean; weight: number | null; missed: number | null; from: 'chain' | 'state'; as_of: string | null } | null;
  /** The contract's current day; null if neither the contract nor the stored state has it. */
  today: {
    day: number;
    begins_at: string;
    ends_at: string;
    /** Time in the active set today, by the contract's rules. */
    active_seconds: number;
    /** This field and the next two are null if the contract does not publish the value. */
    needed_seconds: number | null;
    missing_seconds: number | null;
    credited: boolean | null;
    from: 'chain' | 'state';
    as_of: string;
  } | null;
  /** The contract's days, newest first; null without the chain, or if the contract has no view of days. */
  days: readonly ShownDay[] | null;
  last_chosen: string | null;
  last_reported: string | null;
  /** Totals since the state was created. */
  counts: NodeState['counts'] | null;
  /** The newest attestations that the node failed to report, newest first. */
  missed: readonly { attestation_id: string; deadline: string | null; why: string }[];
  /** Time per UTC day in which the program ran, the chain answered and the node was active. The contract does not use these values. */
  online: { today_seconds: number; days: NodeState['online'] };
  /** Null without the chain. */
  rewards: {
    /** Settled rewards of the node itself. */
    earned: string;
    claimed: string;
    claimable: string;
    /** Current estimate for credited but unsettled days; null if the contract does not publish the values. */
    expected: { node: string; delegators: string } | null;
  } | null;
  program: { process: number | null; saved_at: string | null; block: number | null; stands_by: string | null; folder: string };
  /** Why the chain could not be reached; null if it answered. */
  chain_fault: string | null;
  /** Active alarms; if no program runs, those that were active when it last saved its state. */
  alarms: readonly { code: string; subject: string; sentence: string; since: string }[];
}

export interface ShownDay {
  day: number;
  begins_at: string;
  /** Null if the contract does not publish the value. */
  credited: boolean | null;
  /** Licenses for which the day is credited. */
  weight: number | null;
  /** True if the day ended without credit although the node was active long enough; null if unknown. */
  lost: boolean | null;
  /** Current estimate for a credited, unsettled day; otherwise null. */
  expected: { node: string; delegators: string } | null;
}
