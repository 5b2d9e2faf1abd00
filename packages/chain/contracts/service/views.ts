import { decodeFunctionResult, encodeFunctionData, parseAbi, type Abi, type Hex as ViemHex } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { parseBytes } from '../../rpc/parseResult.ts';
import type { RpcCall, RpcClient, RpcOutcome } from '../../rpc/rpcClient.ts';
import { RpcRefused, RpcUnavailable } from '../../rpc/rpcErrors.ts';

/** A view call of a contract, with a decoder for its answer. */
export interface View<Value> {
  to: Hex;
  data: Hex;
  /** Decodes the answer. @throws Error if the answer has another form */
  read(answer: Hex): Value;
}

/** The contract's record of a node. */
export interface NodeRecord {
  /** 0 if the node never entered. */
  id: number;
  active: boolean;
  /** Number of missed reports that count. */
  missed: number;
  /** Timestamp in seconds; 0 if never. */
  lastEnterTime: number;
  /** Zero address: the node claims for itself. */
  claimer: Hex;
  /** In units of 1/10000. */
  commissionRate: number;
  /** Timestamp of the last commission change in seconds; 0 if never. */
  lastModifyAt: number;
  /** Last day whose reward is settled. */
  lastConfirmDate: number;
  /**
   * Reward that the node earned, and the part that was claimed or slashed, in the smallest unit of the reward token. The upstream contract
   * subtracts slashes from the earned amount, which may become negative.
   */
  earned: bigint;
  claimed: bigint;
}

/** The contract's record of an attestation. */
interface AttestationRecord {
  exists: boolean;
  /** Last timestamp (block time, in seconds) at which reports count; 0 until nodes are chosen. */
  deadline: number;
}

/** Limits of commission changes: interval in seconds, increase in units of 1/10000. */
export interface CommissionRules {
  interval: number;
  increaseMax: number;
}

/** Limits of membership in the active set. */
export interface MembershipRules {
  activeNodesMax: number;
  /** Number of missed reports that removes a node. */
  missedReportsMax: number;
  /** Minimum active time for earning a day, and length of a day; seconds. */
  onlineSecondsMin: number;
  daySeconds: number;
}

const abi = parseAbi([
  'struct NodeInfo { uint32 id; uint32 listIndex; bool active; uint32 lastConfirmDate; uint64 missed; int256 selfTotal; uint256 selfClaimed; uint256 delegationRewards; uint256 lastEnterTime; address claimer; uint32 commissionRate; uint256 lastModifyAt; }',
  'struct Attestation { address reporter; uint16 valid; uint16 invalid; uint16 malicious; uint32 vrfChosenID; uint256 deadline; }',
  'struct ActiveNode { address node; uint32 id; uint32 weight; }',
  'function nodeInfos(address node) view returns (NodeInfo)',
  'function delegationWeights(address node) view returns (uint32)',
  'function attestations(bytes32 id) view returns (Attestation)',
  'function attestationVerifiedNode(bytes32 id, address node) view returns (bool)',
  'function eip712DomainHash() view returns (bytes32)',
  'function attestationState(bytes32 id) view returns (uint8)',
  'function voteAt(bytes32 id, uint32 index) view returns (uint8)',
  'function usedDigest(bytes32 digest, address signer) view returns (bool)',
  'function activeNodes(uint256 offset, uint256 limit) view returns (ActiveNode[])',
  'function activeNodeCount() view returns (uint256)',
  'function settings() view returns (address)',
  'function rules() view returns (uint256 reportWindow, uint256 maxExpiry, uint256 commissionInterval, uint256 dayLength, uint256 minOnline, uint256 maxActiveNodes, uint256 maxChosenNodes, uint256 maxCommissionIncrease, uint256 maxMissedReports, uint256 maxDelegations)',
]);

/** States of an attestation. From `valid` on, the attestation has ended; `valid`, `invalid` and `malicious` are verdicts. */
export const attestationStates = { unknown: 0, waiting: 1, open: 2, valid: 3, invalid: 4, malicious: 5, noVerdict: 6, unselected: 7 } as const;

/** Views of the service contract. The upstream contract has only the views before the comment inside. */
export const serviceViews = {
  node: (service: Hex, node: Hex): View<NodeRecord> => view(abi, service, 'nodeInfos', [node], (answer) => {
    const info = decodeFunctionResult({ abi, functionName: 'nodeInfos', data: answer });
    return {
      id: info.id, active: info.active, missed: bounded(info.missed), lastEnterTime: bounded(info.lastEnterTime), claimer: lower(info.claimer),
      commissionRate: info.commissionRate, lastModifyAt: bounded(info.lastModifyAt), lastConfirmDate: info.lastConfirmDate, earned: info.selfTotal, claimed: info.selfClaimed,
    };
  }),
  weight: (service: Hex, node: Hex): View<number> => view(abi, service, 'delegationWeights', [node], (answer) =>
    decodeFunctionResult({ abi, functionName: 'delegationWeights', data: answer })),
  attestation: (service: Hex, attestationId: Hex): View<AttestationRecord> => view(abi, service, 'attestations', [attestationId], (answer) => {
    const { reporter, deadline } = decodeFunctionResult({ abi, functionName: 'attestations', data: answer });
    return { exists: BigInt(reporter) !== 0n, deadline: bounded(deadline) };
  }),
  /** Whether the node's report on the attestation counts. */
  reported: (service: Hex, attestationId: Hex, node: Hex): View<boolean> => view(abi, service, 'attestationVerifiedNode', [attestationId, node], (answer) =>
    decodeFunctionResult({ abi, functionName: 'attestationVerifiedNode', data: answer })),
  domainHash: (service: Hex): View<Hex> => view(abi, service, 'eip712DomainHash', [], (answer) =>
    decodeFunctionResult({ abi, functionName: 'eip712DomainHash', data: answer })),
  // Only Vouch's contract has the following views.
  /** State of an attestation: a value of `attestationStates`. */
  attestationState: (service: Hex, attestationId: Hex): View<number> => view(abi, service, 'attestationState', [attestationId], (answer) =>
    decodeFunctionResult({ abi, functionName: 'attestationState', data: answer })),
  /** The counted vote at an index of the chosen list: its result plus 1; 0 for none. */
  voteAt: (service: Hex, attestationId: Hex, index: number): View<number> => view(abi, service, 'voteAt', [attestationId, index], (answer) =>
    decodeFunctionResult({ abi, functionName: 'voteAt', data: answer })),
  /** Whether a signer's message with this digest took effect; for messages other than reports. */
  usedDigest: (service: Hex, digest: Hex, signer: Hex): View<boolean> => view(abi, service, 'usedDigest', [digest, signer], (answer) =>
    decodeFunctionResult({ abi, functionName: 'usedDigest', data: answer })),
  activeNodes: (service: Hex, offset: number, limit: number): View<readonly { node: Hex; weight: number }[]> => view(abi, service, 'activeNodes', [BigInt(offset), BigInt(limit)], (answer) =>
    decodeFunctionResult({ abi, functionName: 'activeNodes', data: answer }).map(({ node, weight }) => ({ node: lower(node), weight }))),
  activeCount: (service: Hex): View<number> => view(abi, service, 'activeNodeCount', [], (answer) =>
    bounded(decodeFunctionResult({ abi, functionName: 'activeNodeCount', data: answer }))),
  settings: (service: Hex): View<Hex> => view(abi, service, 'settings', [], (answer) => lower(decodeFunctionResult({ abi, functionName: 'settings', data: answer }))),
  /** Takes the address of the settings contract. */
  commissionRules: (settings: Hex): View<CommissionRules> => view(abi, settings, 'rules', [], (answer) => {
    const [, , interval, , , , , increaseMax] = decodeFunctionResult({ abi, functionName: 'rules', data: answer });
    return { interval: bounded(interval), increaseMax: bounded(increaseMax) };
  }),
  /** Takes the address of the settings contract. */
  membershipRules: (settings: Hex): View<MembershipRules> => view(abi, settings, 'rules', [], (answer) => {
    const rules = decodeFunctionResult({ abi, functionName: 'rules', data: answer });
    return { activeNodesMax: bounded(rules[5]), missedReportsMax: bounded(rules[8]), onlineSecondsMin: bounded(rules[4]), daySeconds: bounded(rules[3]) };
  }),
};

/** Returns the RPC call of a view at the newest block. Only one parameter, so that `views.map(callOf)` works. */
export function callOf({ to, data }: View<unknown>): RpcCall {
  return { method: 'eth_call', params: [{ to, data }, 'latest'] };
}

/** Returns the RPC call of a view at a block, given by number or hash. An endpoint on another branch refuses a hash. */
export function callAt({ to, data }: View<unknown>, block: number | Hex): RpcCall {
  return { method: 'eth_call', params: [{ to, data }, typeof block === 'number' ? `0x${block.toString(16)}` : { blockHash: block }] };
}

/** Decodes the outcome of a view in a batch. @throws RpcRefused for a revert; Error if the answer has another form */
export function answerOf<Value>(view: View<Value>, outcome: RpcOutcome | undefined): Value {
  if (outcome === undefined) throw new Error('the answer is missing');
  if (!outcome.ok) throw outcome.error;
  return view.read(parseBytes(outcome.result));
}

/** Reads one view at the newest block. @throws RpcRefused for a revert; RpcUnavailable, also if no endpoint gives a valid answer */
export function fetchView<Value>(rpc: RpcClient, view: View<Value>, signal?: AbortSignal): Promise<Value> {
  const { method, params } = callOf(view);
  return rpc.ask(method, params, (result) => view.read(parseBytes(result)), signal);
}

/**
 * Reads a view that the contract may not have.
 * @param at number or hash of a block; default: the newest block
 * @returns null if the contract reverts or gives an unexpected answer, because it lacks the function
 * @throws RpcUnavailable if no endpoint answers; RpcRefused for other refusals
 */
export async function tryReadView<Value>(rpc: RpcClient, view: View<Value>, at: { block?: number | Hex; signal?: AbortSignal } = {}): Promise<Value | null> {
  const { method, params } = at.block === undefined ? callOf(view) : callAt(view, at.block);
  try {
    return await rpc.ask(method, params, (result) => view.read(parseBytes(result)), at.signal);
  } catch (error) {
    const hasAnswered = isRevert(error) || (error instanceof RpcUnavailable && error.faults.every(({ kind }) => kind === 'unreadable'));
    if (hasAnswered) return null;
    throw error;
  }
}

/** Whether the contract reverted, in contrast to a refusal by the endpoint. */
export function isRevert(error: unknown): boolean {
  return error instanceof RpcRefused && (error.code === 3 || /revert|invalid opcode|out of gas|stack underflow/i.test(error.said));
}

/** Builds a view from an ABI. Loosely typed: the callers pair function names and arguments correctly. */
export function view<Value>(abi: Abi | readonly unknown[], to: Hex, functionName: string, args: readonly unknown[], read: (answer: Hex) => Value): View<Value> {
  return { to, data: encodeFunctionData({ abi: abi as Abi, functionName, args: [...args] }), read };
}

export function lower(address: ViemHex): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}

/** Converts a bigint to a number; values above Number.MAX_SAFE_INTEGER, such as unlimited durations, become this maximum. */
export function bounded(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
