import { decodeFunctionData, encodeFunctionResult, parseAbi } from 'viem';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { creditedWeight, dateOf, noEarnings } from './dayModel.ts';
import { findAttestation, serviceRules, type ServiceModel } from './serviceModel.ts';
import type { ServiceState } from './serviceState.ts';

/** Address of the contract that holds the limits. */
const settings: Hex = `0x${'5e'.repeat(20)}`;

const abi = parseAbi([
  'struct NodeInfo { uint32 id; uint32 listIndex; bool active; uint32 lastConfirmDate; uint64 missed; int256 selfTotal; uint256 selfClaimed; uint256 delegationRewards; uint256 lastEnterTime; address claimer; uint32 commissionRate; uint256 lastModifyAt; }',
  'struct Attestation { address reporter; uint16 valid; uint16 invalid; uint16 malicious; uint32 vrfChosenID; uint256 deadline; }',
  'function nodeInfos(address node) view returns (NodeInfo)',
  'function delegationWeights(address node) view returns (uint32)',
  'function attestations(bytes32 id) view returns (Attestation)',
  'function attestationVerifiedNode(bytes32 id, address node) view returns (bool)',
  'function voteAt(bytes32 id, uint32 index) view returns (uint8)',
  'function vrfChosenMap(uint32 chosenId, uint256 index) view returns (uint32)',
  'function chosenNodes(uint32 chosenId) view returns (uint32[])',
  'function delegation(uint256 license) view returns (address)',
  'function eip712DomainHash() view returns (bytes32)',
  'function usedDigest(bytes32 digest, address signer) view returns (bool)',
  'function supportsIsolation() view returns (bool)',
  'function activeNodeCount() view returns (uint256)',
  'function license() view returns (address)',
  'struct ActiveNode { address node; uint32 id; uint32 weight; }',
  'function multicall(bytes[] calls) returns (bytes[])',
  'function activeNodes(uint256 offset, uint256 limit) view returns (ActiveNode[])',
  'function todayIndex() view returns (uint32)',
  'function todayOffset() view returns (uint256)',
  'function currentDate() view returns (uint32)',
  'function nodeDailyActive(address node, uint32 day) view returns (uint32)',
  'function globalDailyActiveNodes(uint32 day) view returns (uint32)',
  'function dayInfo(uint32 day) view returns (uint128 pot, uint64 weight)',
  'function dayLength() view returns (uint32)',
  'function dailyReward() view returns (uint128)',
  'function settings() view returns (address)',
  'function rules() view returns (uint256 reportWindow, uint256 maxExpiry, uint256 commissionInterval, uint256 dayLength, uint256 minOnline, uint256 maxActiveNodes, uint256 maxChosenNodes, uint256 maxCommissionIncrease, uint256 maxMissedReports, uint256 maxDelegations)',
]);

/** Views of Vouch's own contract; the other contract reverts. */
const nativeViews: ReadonlySet<string> = new Set(['usedDigest', 'supportsIsolation', 'activeNodeCount', 'license', 'settings', 'rules', 'chosenNodes', 'voteAt', 'multicall', 'activeNodes', 'todayIndex', 'todayOffset', 'currentDate', 'nodeDailyActive', 'globalDailyActiveNodes', 'dayInfo', 'dayLength', 'dailyReward']);

/** What a view reads of a block. */
interface Seen {
  service: ServiceState;
  /** Seconds since 1970. */
  timestamp: number;
}

/** Answers a view of the contract. @returns null if the call reverts */
export function readView(model: ServiceModel, { service: state, timestamp }: Seen, data: Hex): Hex | null {
  const { days, options: { native, domain } } = model;
  const call = decodeCall(data);
  if (call === null || (!native && nativeViews.has(call.functionName))) return null;
  const { functionName, args } = call;
  const answer = (result: unknown): Hex => encodeFunctionResult({ abi, functionName, result } as never);
  const node = (at: number) => state.nodes.get((args![at] as string).toLowerCase() as Hex);
  const attestation = () => findAttestation(state, (args![0] as string).toLowerCase() as Hex);
  const chosen = () => state.attestations.find(({ chosenId }) => chosenId === Number(args![0]))?.chosen ?? [];
  switch (functionName) {
    case 'nodeInfos': {
      const { id = 0, active = false, claimer = zeroAddress, commissionRate = 0, lastModifyAt = 0, lastEnterTime = 0, earnings = noEarnings } = node(0) ?? {};
      return answer({
        id, listIndex: 0, active, lastConfirmDate: earnings.lastConfirmDate, missed: 0n, selfTotal: earnings.selfTotal, selfClaimed: 0n, delegationRewards: earnings.perLicense, lastEnterTime: BigInt(lastEnterTime), claimer, commissionRate,
        lastModifyAt: BigInt(lastModifyAt),
      });
    }
    case 'delegationWeights': return answer(node(0)?.weight ?? 0);
    case 'attestations': {
      const found = attestation();
      return answer({ reporter: found === undefined ? zeroAddress : settings, valid: 0, invalid: 0, malicious: 0, vrfChosenID: found?.chosenId ?? 0, deadline: BigInt(found?.deadline ?? 0) });
    }
    case 'attestationVerifiedNode': {
      const index = attestation()?.chosen.indexOf(node(1)?.id ?? 0) ?? -1;
      return answer(index >= 0 && state.votes.has(`${args![0] as string} ${index}`));
    }
    case 'voteAt': return answer(state.votes.get(`${args![0] as string} ${args![1] as number}`) ?? 0);
    case 'vrfChosenMap': {
      const id = chosen()[Number(args![1])];
      return id === undefined ? null : answer(id);
    }
    case 'chosenNodes': return answer([...chosen()]);
    case 'eip712DomainHash': return answer(`0x${Buffer.from(domain).toString('hex')}`);
    case 'usedDigest': return answer(state.applied.has(`${args![0] as string} ${(args![1] as string).toLowerCase()}`));
    case 'supportsIsolation': return answer(true);
    case 'activeNodeCount': return answer(BigInt([...state.nodes.values()].filter(({ active }) => active).length));
    case 'settings': return answer(settings);
    case 'multicall': return answer((args![0] as readonly Hex[]).map((each) => readView(model, { service: state, timestamp }, each) ?? '0x'));
    case 'activeNodes': {
      const [offset, limit] = [Number(args![0]), Number(args![1])];
      return answer([...state.nodes].filter(([, { active }]) => active).slice(offset, offset + limit).map(([address, { id, weight }]) => ({ node: address, id, weight })));
    }
    case 'todayIndex':
    case 'currentDate': return answer(dateOf(timestamp, days));
    case 'todayOffset': return answer(BigInt(timestamp % days.lengthSeconds));
    case 'nodeDailyActive': return answer(creditedWeight(node(0), args![1] as number));
    case 'globalDailyActiveNodes': return answer(state.days.get(args![0] as number)?.weight ?? 0);
    case 'dayInfo': {
      const { pot = 0n, weight = 0, settled = 0 } = state.days.get(args![0] as number) ?? {};
      return encodeFunctionResult({ abi, functionName: 'dayInfo', result: [pot, BigInt(weight - settled)] });
    }
    case 'dayLength': return answer(days.lengthSeconds);
    case 'dailyReward': return answer(days.dailyReward);
    case 'rules': {
      const { maxExpiry, commissionInterval, maxCommissionIncrease } = serviceRules;
      const { maxActiveNodes = serviceRules.maxActiveNodes } = model.options;
      return encodeFunctionResult({
        abi, functionName: 'rules',
        result: [1_800n, BigInt(maxExpiry), BigInt(commissionInterval), BigInt(days.lengthSeconds), BigInt(days.minOnlineSeconds), BigInt(maxActiveNodes), 200n, BigInt(maxCommissionIncrease), 2n, 100n],
      });
    }
    // The licenses of nodes are not modelled: the gateway then charges no budget of a license.
    default: return null;
  }
}

function decodeCall(data: Hex): { functionName: string; args?: readonly unknown[] } | null {
  try {
    return decodeFunctionData({ abi, data });
  } catch {
    return null;
  }
}
