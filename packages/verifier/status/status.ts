import type { NodeState } from '../state/nodeState.ts';

/** Everything that `verifier status` says; times are ISO 8601, spans seconds. Names are those of its JSON. */
export interface Status {
  node: string;
  chain_name: string;
  earning: { verdict: 'yes' | 'not yet' | 'no'; because: string };
  /** Null where neither the chain nor the state tells. */
  membership: { active: boolean; weight: number | null; missed: number | null; from: 'chain' | 'state'; as_of: string | null } | null;
  last_chosen: string | null;
  last_reported: string | null;
  /** Since the state began. */
  counts: NodeState['counts'] | null;
  /** The newest that were not reported, newest first. */
  missed: readonly { attestation_id: string; deadline: string | null; why: string }[];
  online: { today_seconds: number; needed_seconds: number; counted_by: 'this program' | 'contract'; days: NodeState['online'] };
  /** Of the node itself, in tokens; null without the chain. */
  rewards: { earned: string; claimed: string } | null;
  program: { process: number | null; saved_at: string | null; block: number | null; stands_by: string | null; folder: string };
  /** What keeps the chain from being asked; null where it was. */
  chain_fault: string | null;
  alarms: readonly { code: string; subject: string; sentence: string; since: string }[];
}
