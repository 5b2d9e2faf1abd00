import { decodeFunctionResult, encodeFunctionData, parseAbi, type Abi, type Hex as ViemHex } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { readBytes } from '../../rpc/readResult.ts';
import type { RpcCall, RpcClient, RpcOutcome } from '../../rpc/rpcClient.ts';
import { RpcRefused, RpcUnavailable } from '../../rpc/rpcErrors.ts';

/** A read of a contract, with the way to read its answer. */
export interface View<Value> {
  to: Hex;
  data: Hex;
  /** @throws Error where the answer does not fit */
  read(answer: Hex): Value;
}

/** What the contract knows of a node. */
export interface NodeRecord {
  /** 0: it never entered. */
  id: number;
  active: boolean;
  /** Missed reports since it entered. */
  missed: number;
  /** Seconds; 0: never. */
  lastEnterTime: number;
  /** Zero: the node itself. */
  claimer: Hex;
  /** In 1/10000. */
  commissionRate: number;
  /** When the commission was last changed, in seconds; 0: never. */
  lastModifyAt: number;
  /** The last day whose reward is settled. */
  lastConfirmDate: number;
  /**
   * What it earned itself, and what of it was claimed or taken, in the smallest units of the reward token. At the upstream contract slashes
   * are taken off what was earned, which may become negative.
   */
  earned: bigint;
  claimed: bigint;
}

/** What the contract knows of an attestation. */
interface AttestationRecord {
  exists: boolean;
  /** Last second of the chain's time in which reports count; 0 while no nodes are chosen. */
  deadline: number;
}

/** What limits a commission; seconds and 1/10000. */
export interface CommissionRules {
  interval: number;
  increaseMax: number;
}

/** What limits a membership of the active set. */
export interface MembershipRules {
  activeNodesMax: number;
  /** Missed reports that end it. */
  missedReportsMax: number;
  /** How long a node has to be active in a day to earn, and how long a day is; seconds. */
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
  'function activeNodes(uint256 offset, uint256 limit) view returns (ActiveNode[])',
  'function activeNodeCount() view returns (uint256)',
  'function settings() view returns (address)',
  'function rules() view returns (uint256 reportWindow, uint256 maxExpiry, uint256 commissionInterval, uint256 dayLength, uint256 minOnline, uint256 maxActiveNodes, uint256 maxChosenNodes, uint256 maxCommissionIncrease, uint256 maxMissedReports, uint256 maxDelegations)',
]);

/** Where an attestation stands: from `valid` on it has ended, up to `malicious` by a verdict. */
export const attestationStates = { unknown: 0, waiting: 1, open: 2, valid: 3, invalid: 4, malicious: 5, noVerdict: 6, unselected: 7 } as const;

/** Reads of the service contract. The upstream contract has those before the comment on ours, too. */
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
  /** Whether the node's report on an attestation counts. */
  reported: (service: Hex, attestationId: Hex, node: Hex): View<boolean> => view(abi, service, 'attestationVerifiedNode', [attestationId, node], (answer) =>
    decodeFunctionResult({ abi, functionName: 'attestationVerifiedNode', data: answer })),
  domainHash: (service: Hex): View<Hex> => view(abi, service, 'eip712DomainHash', [], (answer) =>
    decodeFunctionResult({ abi, functionName: 'eip712DomainHash', data: answer })),
  // Only our contract has the following views.
  /** Where an attestation stands, as in `attestationStates`. */
  attestationState: (service: Hex, attestationId: Hex): View<number> => view(abi, service, 'attestationState', [attestationId], (answer) =>
    decodeFunctionResult({ abi, functionName: 'attestationState', data: answer })),
  activeNodes: (service: Hex, offset: number, limit: number): View<readonly { node: Hex; weight: number }[]> => view(abi, service, 'activeNodes', [BigInt(offset), BigInt(limit)], (answer) =>
    decodeFunctionResult({ abi, functionName: 'activeNodes', data: answer }).map(({ node, weight }) => ({ node: lower(node), weight }))),
  activeCount: (service: Hex): View<number> => view(abi, service, 'activeNodeCount', [], (answer) =>
    bounded(decodeFunctionResult({ abi, functionName: 'activeNodeCount', data: answer }))),
  settings: (service: Hex): View<Hex> => view(abi, service, 'settings', [], (answer) => lower(decodeFunctionResult({ abi, functionName: 'settings', data: answer }))),
  /** Of the settings contract. */
  commissionRules: (settings: Hex): View<CommissionRules> => view(abi, settings, 'rules', [], (answer) => {
    const [, , interval, , , , , increaseMax] = decodeFunctionResult({ abi, functionName: 'rules', data: answer });
    return { interval: bounded(interval), increaseMax: bounded(increaseMax) };
  }),
  /** Of the settings contract. */
  membershipRules: (settings: Hex): View<MembershipRules> => view(abi, settings, 'rules', [], (answer) => {
    const rules = decodeFunctionResult({ abi, functionName: 'rules', data: answer });
    return { activeNodesMax: bounded(rules[5]), missedReportsMax: bounded(rules[8]), onlineSecondsMin: bounded(rules[4]), daySeconds: bounded(rules[3]) };
  }),
};

/** The call of a view at the newest block. It takes nothing else, so that lists of views can be mapped by it. */
export function callOf({ to, data }: View<unknown>): RpcCall {
  return { method: 'eth_call', params: [{ to, data }, 'latest'] };
}

/** The call of a view at a block. */
export function callAt({ to, data }: View<unknown>, block: number): RpcCall {
  return { method: 'eth_call', params: [{ to, data }, `0x${block.toString(16)}`] };
}

/** What a view answered within a batch. @throws RpcRefused for a revert; Error where the answer does not fit */
export function answerOf<Value>(view: View<Value>, outcome: RpcOutcome | undefined): Value {
  if (outcome === undefined) throw new Error('the answer is missing');
  if (!outcome.ok) throw outcome.error;
  return view.read(readBytes(outcome.result));
}

/** Reads one view. @throws RpcRefused for a revert; RpcUnavailable, also where no endpoint's answer fits */
export function readView<Value>(rpc: RpcClient, view: View<Value>, signal?: AbortSignal): Promise<Value> {
  const { method, params } = callOf(view);
  return rpc.ask(method, params, (result) => view.read(readBytes(result)), signal);
}

/**
 * Reads one view that the contract may not have.
 * @param at the newest block unless told
 * @returns null where the contract reverts or answers something else: it has no such function
 * @throws RpcUnavailable where no endpoint answers; RpcRefused where one refuses for a reason of its own
 */
export async function tryReadView<Value>(rpc: RpcClient, view: View<Value>, at: { block?: number; signal?: AbortSignal } = {}): Promise<Value | null> {
  const { method, params } = at.block === undefined ? callOf(view) : callAt(view, at.block);
  try {
    return await rpc.ask(method, params, (result) => view.read(readBytes(result)), at.signal);
  } catch (error) {
    const hasAnswered = isRevert(error) || (error instanceof RpcUnavailable && error.faults.every(({ kind }) => kind === 'unreadable'));
    if (hasAnswered) return null;
    throw error;
  }
}

/** Whether the contract refused, as opposed to the endpoint. */
export function isRevert(error: unknown): boolean {
  return error instanceof RpcRefused && (error.code === 3 || /revert|invalid opcode|out of gas|stack underflow/i.test(error.said));
}

/** A view of a contract by its ABI. Typed loosely: each caller names a function of its own list and its arguments. */
export function view<Value>(abi: Abi | readonly unknown[], to: Hex, functionName: string, args: readonly unknown[], read: (answer: Hex) => Value): View<Value> {
  return { to, data: encodeFunctionData({ abi: abi as Abi, functionName, args: [...args] }), read };
}

export function lower(address: ViemHex): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}

/** Times without a bound become the largest number. */
export function bounded(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
