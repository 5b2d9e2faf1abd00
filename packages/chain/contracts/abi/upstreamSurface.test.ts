import { toEventSelector, toFunctionSelector, type AbiEvent, type AbiFunction } from 'viem';
import { describe, expect, it } from 'vitest';
import { verifierServiceAbi } from './verifierService.ts';

/** Selectors of the deployed upstream service. As long as they match, a client of one contract works with the other. */
const selectors: Readonly<Record<string, string>> = {
  nodeEnterWithSignature: '0x47b8706c',
  nodeExitWithSignature: '0x7f32e167',
  nodeModifyCommissionRateWithSignature: '0x8a4fd0c8',
  nodeSetRewardClaimerWithSignature: '0xc4a16c52',
  nodeReportVerificationBatch: '0xb50bd0d4',
  nodeReportVerification: '0xe93ee212',
  multicall: '0xac9650d8',
  nodeEnter: '0x73df96ed',
  nodeExit: '0xd46849db',
  nodeModifyCommissionRate: '0x195f3a9c',
  nodeReportDailyActive: '0x34d37fa0',
  nodeSlash: '0xdf5e1fdd',
  teeReportAttestations: '0x9d9b4270',
  nodeInfos: '0x797e18e8',
  attestations: '0x940992a3',
  delegationWeights: '0x7334c9ba',
  attestationVerifiedNode: '0xa91e5479',
  vrfChosenMap: '0x09d65fd8',
  activeVrfNodeList: '0x0225de92',
  eip712DomainHash: '0xf94dc4bc',
};

const signatures: Readonly<Record<string, string>> = {
  nodeClaim: 'nodeClaim(address)',
  confirmNodeRewards: 'confirmNodeRewards(address)',
  delegate: 'delegate(uint256,address)',
  redelegate: 'redelegate(uint256,address)',
  undelegate: 'undelegate(uint256)',
  claimRewards: 'claimRewards(uint256)',
  todayIndex: 'todayIndex()',
  todayOffset: 'todayOffset()',
  nodeDailyActive: 'nodeDailyActive(address,uint32)',
  globalDailyActiveNodes: 'globalDailyActiveNodes(uint32)',
  tokenRewardInfos: 'tokenRewardInfos(uint256)',
  checkClaimed: 'checkClaimed(uint256)',
  nodeSlashed: 'nodeSlashed(address,bytes32)',
};

const topics: Readonly<Record<string, string>> = {
  TeeReportAttestations: '0x89a3b784b99180438f3b2027aa89e97c3c3ed66e8dc78a555d7013b39caf1a89',
  ConfirmVrfNodes: '0x455929120054502ca2ea8194b26e7bb3acb631d30177f6881ffa70581abd4a13',
  NodeClear: '0x8a0859fa4a2e331800d512db6925d210facda82733207cb9fe49e7da954fc4aa',
};

const events: readonly string[] = [
  'TeeReportAttestations(address,bytes32[],string[],uint256)',
  'ConfirmVrfNodes(uint256,uint32[],uint256)',
  'NodeClear(address)',
  'NodeActivate(address,uint32)',
  'NodeRegister(address,uint32)',
  'NodeModifyCommissionRate(address,uint32)',
  'NodeSetClaimer(address,address)',
  'NodeReportVerification(address,bytes32,uint8)',
  'NodeReportVerificationBatch(bytes32,(uint8,uint32,address,uint8,bytes32,bytes32)[])',
  'NodeSlash(address,address,bytes32,uint256)',
  'NodeDailyActive(address,uint32)',
  'NodeConfirmReward(address,int256,uint256)',
  'NodeClaim(address,address,uint256)',
  'Delegate(uint256,address)',
  'Redelegate(uint256,address)',
  'Undelegate(uint256,address)',
];

const functionNamed = (name: string): AbiFunction => verifierServiceAbi.find((item) => item.type === 'function' && item.name === name) as AbiFunction;
const eventNamed = (name: string): AbiEvent => verifierServiceAbi.find((item) => item.type === 'event' && item.name === name) as AbiEvent;

describe('the surface of the upstream service', () => {
  it.each(Object.entries(selectors))('keeps the selector of %s', (name, selector) => {
    expect(toFunctionSelector(functionNamed(name))).toBe(selector);
  });

  it.each(Object.entries(signatures))('keeps the parameters of %s', (name, signature) => {
    expect(toFunctionSelector(functionNamed(name))).toBe(toFunctionSelector(signature));
  });

  it.each(Object.entries(topics))('keeps the topic of %s', (name, topic) => {
    expect(toEventSelector(eventNamed(name))).toBe(topic);
  });

  it.each(events)('has the event %s, nothing of it indexed', (signature) => {
    const event = eventNamed(signature.slice(0, signature.indexOf('(')));
    expect(toEventSelector(event)).toBe(toEventSelector(signature));
    expect(event.inputs.filter(({ indexed }) => indexed)).toEqual([]);
  });

  it('keeps the layout of a node and of an attestation', () => {
    const layout = (name: string): string[] =>
      (functionNamed(name).outputs[0] as { components: readonly { type: string; name: string }[] }).components.map(({ type, name: field }) => `${type} ${field}`);
    expect(layout('nodeInfos')).toEqual([
      'uint32 id', 'uint32 listIndex', 'bool active', 'uint32 lastConfirmDate', 'uint64 missed', 'uint256 selfTotal', 'uint256 selfClaimed',
      'uint256 delegationRewards', 'uint256 lastEnterTime', 'address claimer', 'uint32 commissionRate', 'uint256 lastModifyAt',
    ]);
    const outputs = (name: string): string[] => functionNamed(name).outputs.map(({ type }) => type);
    expect(['todayIndex', 'todayOffset', 'nodeDailyActive', 'globalDailyActiveNodes', 'checkClaimed', 'nodeSlashed'].map(outputs).flat())
      .toEqual(['uint32', 'uint256', 'uint32', 'uint32', 'bool', 'bool']);
    expect(outputs('tokenRewardInfos')).toEqual(['uint256', 'uint256', 'uint256']);
    expect(layout('attestations')).toEqual([
      'address reporter', 'uint16 valid', 'uint16 invalid', 'uint16 malicious', 'uint32 vrfChosenID', 'uint256 deadline',
    ]);
  });
});
