import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import type { Log } from '@vouch/chain/rpc/chainReads';
import { decodeEventLog, encodeEventTopics } from 'viem';
import type { ArrangedCall, SignedOperation } from './arrangeCalls.ts';
import { explainRevert } from './explainRevert.ts';
import { matchChanges } from './matchChanges.ts';

/** Outcome of one operation in a transaction. `said` is the contract's revert reason; null if it gave none. */
export type Outcome = { applied: true } | { applied: false; said: string | null };

/** An event of a receipt or simulation. */
export type Event = Pick<Log, 'address' | 'topics' | 'data'>;

type Decoded = ReturnType<typeof decode>;

/** The events of one transaction, grouped by kind. An event about a digest or a report is assigned to the first operation that it matches. */
interface Sayings {
  applied: Map<string, number>;
  reports: Map<string, number>;
  /** Keys of the changes of nodes, in order. */
  changes: string[];
  skipped: Map<string, string>;
  failedCalls: Map<number, string | null>;
}

const isolating = 'OperationApplied';

/**
 * Determines each operation's outcome from the service's events: `OperationApplied` and report batches of an isolating contract,
 * events of single changes otherwise, which follow the order of the calls. An operation without an event did not take effect. The event of an exit also
 * tells that an entry replaced the node, so the two must not share a transaction of a contract that does not isolate: see `countUnambiguous`.
 * @param logs events of one receipt or simulation, in order
 * @param by the contract, and the time of the block in seconds since 1970, after which a message had expired; null in a simulation
 * @returns outcomes in the order of the operations
 */
export function decodeOutcomes(
  operations: readonly SignedOperation[], calls: readonly ArrangedCall[], logs: readonly Event[], by: { service: Hex; isolates: boolean; time: number | null },
): Outcome[] {
  const { service, isolates, time } = by;
  const sayings = collect(logs, service);
  const changed = isolates ? new Set<number>() : findChanged(operations, calls, sayings.changes, time);
  const outcomes: Outcome[] = operations.map(() => ({ applied: false, said: null }));
  calls.forEach((call, place) => {
    const members = call.kind === 'single' ? [call.member] : call.members;
    for (const member of members) {
      const signed = operations[member] as SignedOperation;
      if (changed.has(member) || take(sayings, signed, isolates)) outcomes[member] = { applied: true };
      else outcomes[member] = { applied: false, said: sayings.skipped.get(reportKey(signed)) ?? sayings.failedCalls.get(place) ?? null };
    }
  });
  return outcomes;
}

function take(sayings: Sayings, signed: SignedOperation, isolates: boolean): boolean {
  if (signed.operation.kind === 'report') return use(sayings.reports, `${reportKey(signed)}:${signed.operation.result}`);
  return isolates && use(sayings.applied, `${signed.digest}:${signed.signer}`);
}

/** Finds the single changes that took effect. A first enter that was refused must not take the event of an enter after an exit. */
function findChanged(operations: readonly SignedOperation[], calls: readonly ArrangedCall[], changes: Sayings['changes'], time: number | null): Set<number> {
  const members = calls.flatMap((call) => (call.kind === 'single' ? [call.member] : []));
  const matched = matchChanges(members.map((member) => eventOf(operations[member] as SignedOperation, time)), changes);
  return new Set(members.filter((_, place) => matched[place]));
}

/** The event of a change that takes effect; null if the message had expired. */
function eventOf({ operation, signer }: SignedOperation, time: number | null): string | null {
  return operation.kind === 'report' || (time !== null && operation.expiredAt < BigInt(time)) ? null : `${signer}:${changeKey(operation)}`;
}

function collect(logs: readonly Event[], service: Hex): Sayings {
  const sayings: Sayings = { applied: new Map(), reports: new Map(), changes: [], skipped: new Map(), failedCalls: new Map() };
  for (const log of logs) {
    const event = log.address === service ? decode(log) : null;
    if (event !== null) note(sayings, event);
  }
  return sayings;
}

function note(sayings: Sayings, event: Exclude<Decoded, null>): void {
  switch (event.eventName) {
    case isolating:
      return add(sayings.applied, `${event.args.digest}:${event.args.signer.toLowerCase()}`);
    case 'NodeReportVerificationBatch':
      for (const { signer, result } of event.args.infos) add(sayings.reports, `${event.args.attestationID}:${signer.toLowerCase()}:${result}`);
      return;
    case 'ReportSkipped':
      return void sayings.skipped.set(`${event.args.attestationID}:${event.args.signer.toLowerCase()}`, event.args.reason);
    case 'CallFailed':
      return void sayings.failedCalls.set(Number(event.args.index), explainRevert(event.args.reason));
    case 'NodeActivate':
      return addChange(sayings, event.args.node, 'enter');
    case 'NodeClear':
      return addChange(sayings, event.args.node, 'exit');
    case 'NodeModifyCommissionRate':
      return addChange(sayings, event.args.node, `commission:${event.args.commissionRate}`);
    case 'NodeSetClaimer':
      return addChange(sayings, event.args.node, `claimer:${event.args.claimer.toLowerCase()}`);
  }
}

function addChange({ changes }: Sayings, node: string, key: string): void {
  changes.push(`${node.toLowerCase()}:${key}`);
}

function changeKey(operation: Operation): string {
  switch (operation.kind) {
    case 'commission': return `commission:${operation.commissionRate}`;
    case 'claimer': return `claimer:${operation.claimer}`;
    default: return operation.kind;
  }
}

function reportKey({ operation, signer }: SignedOperation): string {
  return operation.kind === 'report' ? `${operation.attestationId}:${signer}` : '';
}

const interesting = [
  isolating, 'NodeReportVerificationBatch', 'ReportSkipped', 'CallFailed', 'NodeActivate', 'NodeClear', 'NodeModifyCommissionRate', 'NodeSetClaimer',
] as const;
const interestingTopics = new Set<string>(interesting.flatMap((eventName) => {
  const [topic] = encodeEventTopics({ abi: verifierServiceAbi, eventName });
  return typeof topic === 'string' ? [topic] : [];
}));

/** Decodes an event; null for irrelevant events and for events with another contract's layout. */
function decode({ topics, data }: Event) {
  const [topic] = topics;
  if (topic === undefined || !interestingTopics.has(topic)) return null;
  try {
    return decodeEventLog({ abi: verifierServiceAbi, topics: [topic, ...topics.slice(1)], data });
  } catch {
    return null;
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function use(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  if (left === 0) return false;
  counts.set(key, left - 1);
  return true;
}
