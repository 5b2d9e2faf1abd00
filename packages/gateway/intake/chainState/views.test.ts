import { settingsAbi } from '@vouch/chain/contracts/abi/settings';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { encodeAbiParameters, encodeFunctionData, encodeFunctionResult } from 'viem';
import { describe, expect, it } from 'vitest';
import { views, Words } from './views.ts';

const node = '0x00112233445566778899aabbccddeeff00112233';
const id = `0x${'ab'.repeat(32)}` as const;
const abi = verifierServiceAbi;

describe('a view', () => {
  it.each([
    [views.nodeInfos(node), encodeFunctionData({ abi, functionName: 'nodeInfos', args: [node] })],
    [views.delegationWeights(node), encodeFunctionData({ abi, functionName: 'delegationWeights', args: [node] })],
    [views.attestations(id), encodeFunctionData({ abi, functionName: 'attestations', args: [id] })],
    [views.attestationVerifiedNode(id, node), encodeFunctionData({ abi, functionName: 'attestationVerifiedNode', args: [id, node] })],
    [views.vrfChosenMap(4_294_967_295, 199), encodeFunctionData({ abi, functionName: 'vrfChosenMap', args: [4_294_967_295, 199n] })],
    [views.activeVrfNodeList(1_999), encodeFunctionData({ abi, functionName: 'activeVrfNodeList', args: [1_999n] })],
    [views.chosenNodes(7), encodeFunctionData({ abi, functionName: 'chosenNodes', args: [7] })],
    [views.activeNodeCount(), encodeFunctionData({ abi, functionName: 'activeNodeCount' })],
    [views.activeNodes(500, 500), encodeFunctionData({ abi, functionName: 'activeNodes', args: [500n, 500n] })],
    [views.usedDigest(id, node), encodeFunctionData({ abi, functionName: 'usedDigest', args: [id, node] })],
    [views.supportsIsolation(), encodeFunctionData({ abi, functionName: 'supportsIsolation' })],
    [views.domainHash(), encodeFunctionData({ abi, functionName: 'eip712DomainHash' })],
    [views.settings(), encodeFunctionData({ abi, functionName: 'settings' })],
    [views.rules(), encodeFunctionData({ abi: settingsAbi, functionName: 'rules' })],
  ])('is encoded as the ABI says: %#', ({ data }, expected) => {
    expect(data).toBe(expected);
  });

  it('has the selectors that both contracts know', () => {
    const selectors = [views.nodeInfos(node), views.attestations(id), views.delegationWeights(node), views.attestationVerifiedNode(id, node), views.vrfChosenMap(0, 0), views.activeVrfNodeList(0), views.domainHash()];
    expect(selectors.map(({ data }) => data.slice(2, 10))).toEqual(['797e18e8', '940992a3', '7334c9ba', 'a91e5479', '09d65fd8', '0225de92', 'f94dc4bc']);
  });

  it('reads a node as it was encoded', () => {
    const info = {
      id: 9, listIndex: 3, active: true, lastConfirmDate: 20_000, missed: 1n, selfTotal: 10n ** 20n, selfClaimed: 5n, delegationRewards: 7n,
      lastEnterTime: 1_700_000_000n, claimer: node, commissionRate: 250, lastModifyAt: 1_700_000_100n,
    } as const;
    const words = new Words(encodeFunctionResult({ abi, functionName: 'nodeInfos', result: info }));
    expect(views.nodeInfos(node).read(words)).toEqual({ id: 9, active: true, claimer: node, commissionRate: 250, lastModifyAt: 1_700_000_100 });
  });

  it('reads an attestation, a list of chosen nodes, active nodes and the rules as they were encoded', () => {
    const result = { reporter: node, valid: 1, invalid: 2, malicious: 3, vrfChosenID: 12, deadline: 1_700_000_200n } as const;
    expect(views.attestations(id).read(new Words(encodeFunctionResult({ abi, functionName: 'attestations', result }))))
      .toEqual({ exists: true, chosenId: 12, deadline: 1_700_000_200 });
    expect(views.chosenNodes(1).read(new Words(encodeFunctionResult({ abi, functionName: 'chosenNodes', result: [5, 2, 9] })))).toEqual([5, 2, 9]);
    const active = encodeFunctionResult({ abi, functionName: 'activeNodes', result: [{ node, id: 4, weight: 6 }] });
    expect(views.activeNodes(0, 1).read(new Words(active))).toEqual([{ node, weight: 6 }]);
    const rules = {
      reportWindow: 1, maxExpiry: 2, commissionInterval: 3, dayLength: 4, minOnline: 5, maxActiveNodes: 6, maxChosenNodes: 7, maxCommissionIncrease: 8,
      maxMissedReports: 9, maxDelegations: 10,
    };
    expect(views.rules().read(new Words(encodeFunctionResult({ abi: settingsAbi, functionName: 'rules', result: rules }))))
      .toEqual({ maxExpiry: 2, commissionInterval: 3, maxActiveNodes: 6, maxCommissionIncrease: 8 });
  });

  it('refuses an answer that is too short, or that announces more than it holds', () => {
    expect(() => views.nodeInfos(node).read(new Words(`0x${'00'.repeat(64)}`))).toThrow(RangeError);
    const lie = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [32n, 2n ** 60n]);
    expect(() => views.chosenNodes(1).read(new Words(lie))).toThrow(RangeError);
    expect(() => views.activeNodes(0, 1).read(new Words(lie))).toThrow(RangeError);
  });
});
