import type { NodeRecord as ServiceNode } from '@vouch/chain/contracts/service/views';
import type { NodeParts } from '../context/nodeParts.ts';

/** Copies the node's membership from the contract into the record, and logs what changed. */
export function noteMembership({ record, system, log, alarms }: NodeParts, info: ServiceNode, weight: number): void {
  const { membership } = record;
  const [before, known] = [membership.active, membership.readAt !== null];
  record.setMembership({
    id: info.id, active: info.active, readAt: system.clock.now(), activeSince: info.active ? info.lastEnterTime * 1_000 : null, weight,
    claimer: info.claimer, commissionRate: info.commissionRate, missed: info.missed,
  });
  if (info.active && (!before || !known)) {
    log.info({ id: info.id, weight }, 'The node is in the active set.');
    alarms.clear('cleared');
  }
  if (weight === 0) {
    alarms.raise('not-delegated', 'This node has no license: its key holds none, and none is delegated to its Ethereum address. Delegate a license; until then, the node can neither enter nor report.');
  } else {
    alarms.clear('not-delegated');
  }
}
