import type { NodeState } from '../state/nodeState.ts';

/** Everything that `verifier status` says; times are ISO 8601, spans seconds, amounts tokens. Names are those of its JSON. */
export interface Status {
  node: string;
  chain_name: string;
  /** `yes`: the contract has credited its day of now. `not known`: it does not tell. */
  earning: { verdict: 'yes' | 'not yet' | 'no' | 'not known'; because: string };
  /** Null where neither the chain nor the state tells. */
  membership: { active: boolean; weight: number | null; missed: number | null; from: 'chain' | 'state'; as_of: string | null } | null;
  /** The contract's day of now; null where neither contract nor state tells it. */
  today: {
    day: number;
    begins_at: string;
    ends_at: string;
    /** In which the node was in the active set, as the contract counts. */
    active_seconds: number;
    /** Null where the contract does not tell, as the next two. */
    needed_seconds: number | null;
    missing_seconds: number | null;
    credited: boolean | null;
    from: 'chain' | 'state';
    as_of: string;
  } | null;
  /** The contract's newest days, newest first; null without the chain, and where the contract tells none. */
  days: readonly ShownDay[] | null;
  last_chosen: string | null;
  last_reported: string | null;
  /** Since the state began. */
  counts: NodeState['counts'] | null;
  /** The newest that were not reported, newest first. */
  missed: readonly { attestation_id: string; deadline: string | null; why: string }[];
  /** Time in which the program ran, the chain answered and the node was active, by days of UTC; the contract does not count it. */
  online: { today_seconds: number; days: NodeState['online'] };
  /** Null without the chain. */
  rewards: {
    /** Of the node itself, settled. */
    earned: string;
    claimed: string;
    claimable: string;
    /** Of credited days that are not settled, as they stand now; null where the contract does not tell. */
    expected: { node: string; delegators: string } | null;
  } | null;
  program: { process: number | null; saved_at: string | null; block: number | null; stands_by: string | null; folder: string };
  /** What keeps the chain from being asked; null where it was. */
  chain_fault: string | null;
  alarms: readonly { code: string; subject: string; sentence: string; since: string }[];
}

export interface ShownDay {
  day: number;
  begins_at: string;
  /** Null where the contract does not tell. */
  credited: boolean | null;
  /** Licenses with which it is credited. */
  weight: number | null;
  /** Over, and not credited although the node was active long enough; null where that is not known. */
  lost: boolean | null;
  /** What it brings as it stands now, where it is credited and not settled. */
  expected: { node: string; delegators: string } | null;
}
