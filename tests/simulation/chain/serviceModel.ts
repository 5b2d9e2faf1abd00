import { decodeFunctionData, encodeAbiParameters, encodeErrorResult, encodeEventTopics } from 'viem';
import { multicall3Abi } from '@vouch/chain/contracts/abi/multicall3';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { digestOf } from '@vouch/chain/messages/digest';
import type { Hex, Operation, Signature } from '@vouch/chain/messages/operation';
import type { Recovery } from '@vouch/chain/messages/recovery';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { creditDay, noEarnings, refuseDay, settle, usualDays, type Changed, type DayRules } from './dayModel.ts';
import { messageKey, type CallOutcome, type EmittedLog, type ServiceAttestation, type ServiceNode, type ServiceState } from './serviceState.ts';

const abi = verifierServiceAbi;
/** Gas of a model call, below the gas that the gateway reserves for a message. */
const callGas = 45_000;
const reportsGas = 4_000;
const reportGas = 13_000;

interface ServiceOptions {
  address: Hex;
  multicall: Hex;
  /** Hash of the EIP-712 domain. */
  domain: Uint8Array;
  /** Whether the contract isolates failing entries and stores used digests, as Vouch's own does. */
  native: boolean;
  recovery: Recovery;
  days?: DayRules;
  /** Size of the active set; `serviceRules.maxActiveNodes` by default. */
  maxActiveNodes?: number;
}

/** Limits of the contract, in seconds and hundredths of a percent. */
export const serviceRules = { maxExpiry: 6 * 3_600, commissionInterval: 7 * 86_400, maxActiveNodes: 2_000, maxCommissionIncrease: 500 };

class Revert extends Error {}

/** A model of the service contract: the messages of nodes, in the isolating and in the other form, with the contract's revert reasons. */
export class ServiceModel {
  readonly options: ServiceOptions;
  readonly days: DayRules;

  constructor(options: ServiceOptions) {
    this.options = options;
    this.days = options.days ?? usualDays;
  }

  /** Executes the calldata of a transaction or of a simulated call. @param time of the block, seconds since 1970 @param from sender */
  execute(state: ServiceState, to: Hex, data: Hex, time: number, from: Hex = zeroAddress): CallOutcome {
    try {
      return to === this.options.multicall ? this.#aggregate(state, data, time) : this.#call(state, data, time, from);
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      return { succeeded: false, reason: error.message, gas: callGas };
    }
  }

  /** Encodes an event of the contract. */
  log(eventName: EventName, args: Readonly<Record<string, unknown>>): EmittedLog {
    const { inputs } = abi.find((each) => each.type === 'event' && each.name === eventName) as unknown as EventItem;
    const topics = encodeEventTopics({ abi, eventName, args } as never) as unknown as Hex[];
    const plain = inputs.filter(({ indexed }) => indexed !== true);
    return { address: this.options.address, topics, data: encodeAbiParameters(plain, plain.map(({ name }) => args[name])) };
  }

  #aggregate(state: ServiceState, data: Hex, time: number): CallOutcome {
    const { args } = decodeFunctionData({ abi: multicall3Abi, data });
    let [after, logs, gas] = [state, [] as EmittedLog[], 0];
    for (const { callData } of args![0] as readonly { callData: Hex }[]) {
      const outcome = this.execute(after, this.options.address, callData, time);
      gas += outcome.gas;
      if (outcome.succeeded) [after, logs] = [outcome.state, [...logs, ...outcome.logs]];
    }
    return { succeeded: true, state: after, logs, gas };
  }

  #call(state: ServiceState, data: Hex, time: number, from: Hex): CallOutcome {
    const call = decodeFunctionData({ abi, data });
    switch (call.functionName) {
      case 'multicall': {
        let [after, logs, gas] = [state, [] as EmittedLog[], 0];
        for (const [at, each] of call.args[0].entries()) {
          const outcome = this.execute(after, this.options.address, each, time);
          gas += outcome.gas;
          if (outcome.succeeded) [after, logs] = [outcome.state, [...logs, ...outcome.logs]];
          else logs.push(this.log('CallFailed', { index: BigInt(at), reason: encodeReason(outcome.reason) }));
        }
        return { succeeded: true, state: after, logs, gas };
      }
      case 'nodeReportVerificationBatch': return this.#report(state, lower(call.args[0]), call.args[1], time);
      case 'nodeEnterWithSignature': {
        const [replacedNode, expiredAt, signer, v, r, s] = call.args;
        return this.#change(state, { kind: 'enter', replacedNode: lower(replacedNode), expiredAt }, lower(signer), signature(v, r, s), time);
      }
      case 'nodeExitWithSignature': {
        const [expiredAt, signer, v, r, s] = call.args;
        return this.#change(state, { kind: 'exit', expiredAt }, lower(signer), signature(v, r, s), time);
      }
      case 'nodeModifyCommissionRateWithSignature': {
        const [commissionRate, expiredAt, signer, v, r, s] = call.args;
        return this.#change(state, { kind: 'commission', commissionRate, expiredAt }, lower(signer), signature(v, r, s), time);
      }
      case 'nodeSetRewardClaimerWithSignature': {
        const [claimer, expiredAt, signer, v, r, s] = call.args;
        return this.#change(state, { kind: 'claimer', claimer: lower(claimer), expiredAt }, lower(signer), signature(v, r, s), time);
      }
      case 'nodeEnter': return this.#change(state, { kind: 'enter', replacedNode: lower(call.args[0]), expiredAt: 0n }, from, null, time);
      case 'nodeExit': return this.#change(state, { kind: 'exit', expiredAt: 0n }, from, null, time);
      case 'nodeModifyCommissionRate': return this.#change(state, { kind: 'commission', commissionRate: call.args[0], expiredAt: 0n }, from, null, time);
      case 'nodeSetRewardClaimer': return this.#change(state, { kind: 'claimer', claimer: lower(call.args[0]), expiredAt: 0n }, from, null, time);
      case 'nodeReportVerification': return this.#reportAlone(state, { attestationId: lower(call.args[0]), index: call.args[1], result: call.args[2] }, from, time);
      case 'nodeReportDailyActive': return this.#reportDay(state, lower(call.args[0]), time);
      case 'confirmNodeRewards': return { succeeded: true, gas: callGas, ...spread(this.settle(state, lower(call.args[0]), time)) };
      // Random words are not modelled.
      case 'requestRandomnessAgain': throw new Revert('Too early');
      default: throw new Error(`the model of the contract does not have ${call.functionName}`);
    }
  }

  /** @param signed null if the signer sends the transaction itself */
  #change(given: ServiceState, operation: Exclude<Operation, { kind: 'report' }>, signer: Hex, signed: Signature | null, time: number): CallOutcome {
    const { state, logs: earlier } = operation.kind === 'exit' ? this.#creditIfDue(given, signer, time) : operation.kind === 'commission' ? this.settle(given, signer, time) : { state: given, logs: [] };
    const before = state.nodes.get(signer) ?? { id: 0, active: false, weight: 0, claimer: zeroAddress, commissionRate: 0, lastModifyAt: 0, lastEnterTime: 0, earnings: noEarnings };
    if (signed === null) {
      const { node, lastId, event } = this.#apply(before, operation, signer, state.lastId, time);
      const room = this.#makeRoom(state, operation, before, time);
      return { succeeded: true, gas: callGas, logs: [...earlier, ...this.#inOrder(room.logs, event)], state: { ...room.state, lastId, nodes: new Map(room.state.nodes).set(signer, node) } };
    }
    const { domain, native, recovery } = this.options;
    if (operation.expiredAt < BigInt(time) || operation.expiredAt > BigInt(time + serviceRules.maxExpiry)) throw new Revert('Invalid expiredAt');
    const digest = digestOf(operation, domain);
    if (recovery.recover(digest, signed) !== signer) throw new Revert('signer not match');
    const hex = toHex(digest);
    const key = messageKey(hex, signer);
    if (native && state.applied.has(key)) throw new Revert('Digest already used');
    const logs = native ? [this.log('OperationApplied', { digest: hex, signer })] : [];
    const { node, lastId, event } = this.#apply(before, operation, signer, state.lastId, time);
    const room = this.#makeRoom(state, operation, before, time);
    return {
      succeeded: true, gas: callGas, logs: [...logs, ...earlier, ...this.#inOrder(room.logs, event)],
      state: { ...room.state, lastId, nodes: new Map(room.state.nodes).set(signer, node), applied: new Map(state.applied).set(key, (state.applied.get(key) ?? 0) + 1), changes: [...state.changes, key] },
    };
  }

  /** The events of a change: the contract in use removes a replaced node after it has added the other, Vouch's own before. */
  #inOrder(ofReplaced: readonly EmittedLog[], ofChange: EmittedLog): EmittedLog[] {
    return this.options.native ? [...ofReplaced, ofChange] : [ofChange, ...ofReplaced];
  }

  /** Removes the node that an entry replaces if the active set is full. */
  #makeRoom(state: ServiceState, operation: Operation, { weight }: ServiceNode, time: number): Changed {
    const active = [...state.nodes.values()].filter((node) => node.active).length;
    if (operation.kind !== 'enter' || active < (this.options.maxActiveNodes ?? serviceRules.maxActiveNodes)) return { state, logs: [] };
    const replaced = state.nodes.get(operation.replacedNode);
    if (replaced?.active !== true) throw new Revert('Replaced node is not active');
    if (weight <= replaced.weight) throw new Revert('Less weights');
    return this.clear(state, operation.replacedNode, time);
  }

  #apply(
    node: ServiceNode, operation: Exclude<Operation, { kind: 'report' }>, signer: Hex, lastId: number, time: number,
  ): { node: ServiceNode; lastId: number; event: EmittedLog } {
    switch (operation.kind) {
      case 'enter': {
        if (node.weight === 0) throw new Revert('No delegationWeights');
        if (node.active) throw new Revert('Already enter');
        const id = node.id === 0 ? lastId + 1 : node.id;
        return { node: { ...node, id, active: true, lastEnterTime: time }, lastId: Math.max(lastId, id), event: this.log('NodeActivate', { node: signer, listIndex: 0 }) };
      }
      case 'exit':
        if (!node.active) throw new Revert('Already exit');
        return { node: { ...node, active: false }, lastId, event: this.log('NodeClear', { node: signer }) };
      case 'commission': {
        const { commissionRate } = operation;
        if (node.id === 0) throw new Revert('Not register');
        if (commissionRate > 10_000) throw new Revert('Value is too large');
        if (node.lastModifyAt !== 0 && time - node.lastModifyAt < serviceRules.commissionInterval) throw new Revert('Not meet min commission rate modify interval');
        if (commissionRate > node.commissionRate + serviceRules.maxCommissionIncrease) throw new Revert('Modify too large at one time');
        return { node: { ...node, commissionRate, lastModifyAt: time }, lastId, event: this.log('NodeModifyCommissionRate', { node: signer, commissionRate }) };
      }
      case 'claimer':
        if (node.id === 0 && node.weight === 0) throw new Revert('Not register');
        return { node: { ...node, claimer: operation.claimer }, lastId, event: this.log('NodeSetClaimer', { node: signer, claimer: operation.claimer }) };
    }
  }

  /** Removes a node from the active set; the contract then credits the day if the node was active long enough. */
  clear(given: ServiceState, address: Hex, time: number): Changed {
    const { state, logs } = this.#creditIfDue(given, address, time);
    return { state: { ...state, nodes: new Map(state.nodes).set(address, { ...state.nodes.get(address)!, active: false }) }, logs: [...logs, this.log('NodeClear', { node: address })] };
  }

  /** Settles the last credited day of a node if the day is over. */
  settle(state: ServiceState, address: Hex, time: number): Changed {
    return state.nodes.has(address) ? settle(state, address, time, this.days, (...event) => this.log(...event)) : { state, logs: [] };
  }

  #creditIfDue(state: ServiceState, address: Hex, time: number): Changed {
    return refuseDay(state.nodes.get(address), time, this.days) === null ? creditDay(state, address, time, this.days, (...event) => this.log(...event)) : { state, logs: [] };
  }

  #reportDay(state: ServiceState, address: Hex, time: number): CallOutcome {
    const refusal = refuseDay(state.nodes.get(address), time, this.days);
    if (refusal !== null) throw new Revert(refusal);
    return { succeeded: true, gas: callGas, ...spread(this.#creditIfDue(state, address, time)) };
  }

  #reportAlone(state: ServiceState, { attestationId, index, result }: { attestationId: Hex; index: number; result: number }, from: Hex, time: number): CallOutcome {
    const { chosen } = openAttestation(state, attestationId, time);
    const id = state.nodes.get(from)?.id ?? 0;
    const place = `${attestationId} ${index}`;
    if (result > 2) throw new Revert('Unknown result');
    if (id === 0 || chosen[index] !== id) throw new Revert('Not chosen');
    if (state.votes.has(place)) throw new Revert('Already verify');
    return { succeeded: true, gas: reportsGas + reportGas, logs: [], state: { ...state, votes: new Map(state.votes).set(place, 1 + result) } };
  }

  #report(state: ServiceState, attestationId: Hex, infos: readonly ReportEntry[], time: number): CallOutcome {
    const attestation = openAttestation(state, attestationId, time);
    const votes = new Map(state.votes);
    const applied = new Map(state.applied);
    const counted: ReportEntry[] = [];
    const logs: EmittedLog[] = [];
    for (const [position, entry] of infos.entries()) {
      const signer = lower(entry.signer);
      const digest = digestOf({ kind: 'report', attestationId, result: entry.result, index: entry.index }, this.options.domain);
      const place = `${attestationId} ${entry.index}`;
      const refusal = entry.result > 2 ? 'Unknown result'
        : this.options.recovery.recover(digest, signature(entry.v, entry.r, entry.s)) !== signer ? 'signer not match'
        : attestation.chosen[entry.index] !== (state.nodes.get(signer)?.id ?? 0) ? 'Not chosen'
        : votes.has(place) ? 'Already verify' : null;
      if (refusal === null) {
        votes.set(place, 1 + entry.result);
        const key = messageKey(toHex(digest), signer);
        applied.set(key, (applied.get(key) ?? 0) + 1);
        counted.push(entry);
      } else if (!this.options.native) {
        throw new Revert(refusal);
      } else {
        logs.push(this.log('ReportSkipped', { attestationID: attestationId, signer, index: entry.index, position: BigInt(position), reason: refusal }));
      }
    }
    if (counted.length > 0) logs.push(this.log('NodeReportVerificationBatch', { attestationID: attestationId, infos: counted }));
    return { succeeded: true, state: { ...state, votes, applied }, logs, gas: reportsGas + reportGas * infos.length };
  }
}

function spread({ state, logs }: Changed): { state: ServiceState; logs: EmittedLog[] } {
  return { state, logs: [...logs] };
}

/** The attestation of an id, if it was announced. */
export function findAttestation({ attestations }: ServiceState, id: Hex): ServiceAttestation | undefined {
  return attestations.find((each) => each.id === id);
}

type EventName = 'NodeDailyActive' | 'NodeConfirmReward' | 'TeeReportAttestations' | 'ConfirmVrfNodes' | 'CallFailed' | 'OperationApplied' | 'NodeActivate' | 'NodeClear' | 'NodeModifyCommissionRate' | 'NodeSetClaimer' | 'ReportSkipped' | 'NodeReportVerificationBatch';

interface EventItem {
  inputs: readonly { name: string; type: string; indexed?: boolean; components?: readonly { name: string; type: string }[] }[];
}

interface ReportEntry {
  result: number;
  index: number;
  signer: Hex;
  v: number;
  r: Hex;
  s: Hex;
}

/** @throws Revert if reports on the attestation do not count */
function openAttestation(state: ServiceState, id: Hex, time: number): ServiceAttestation {
  const attestation = findAttestation(state, id);
  if (attestation === undefined) throw new Revert('Attestation not exist');
  if (attestation.chosenId === 0) throw new Revert('Nodes not chosen');
  if (time > attestation.deadline) throw new Revert('Deadline passed');
  return attestation;
}

/** Revert data of a reason, as Solidity encodes it. */
export function encodeReason(reason: string): Hex {
  return encodeErrorResult({ abi: [{ type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] }], errorName: 'Error', args: [reason] });
}

function signature(v: number, r: Hex, s: Hex): Signature {
  return { v: v === 27 ? 27 : 28, r, s };
}

function lower(hex: string): Hex {
  return hex.toLowerCase() as Hex;
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
