import { decodeFunctionData, encodeFunctionResult, parseAbi } from 'viem';
import { expect, it } from 'vitest';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Block } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import { fetchNodeDays, type NodeAtHead } from './fetchDays.ts';

const service: Hex = `0x${'5c'.repeat(20)}`;
const address: Hex = `0x${'0d'.repeat(20)}`;
const head: Block = { number: 9, hash: `0x${'aa'.repeat(32)}`, parentHash: `0x${'ab'.repeat(32)}`, timestamp: 86_400 * 5 + 60, baseFee: 1n, gasLimit: 1n, gasUsed: 0n };
const record: NodeAtHead['record'] = { id: 1, active: true, missed: 0, lastEnterTime: 1, claimer: address, commissionRate: 0, lastModifyAt: 0, lastConfirmDate: 0, earned: 0n, claimed: 0n };
const abi = parseAbi([
  'function nodeDailyActive(address node, uint32 day) view returns (uint32)', 'function todayIndex() view returns (uint32)', 'function todayOffset() view returns (uint256)',
  'function dayInfo(uint32 day) view returns (uint128 pot, uint64 weight)',
]);

/** An endpoint whose newest block is older than `head`, and has no credit yet. At `head`, day 4 is credited for 2 of 4 licenses. */
const behind = {
  ask: async (method, [call, block], parse) => {
    const { data } = call as { data: Hex };
    const isAtHead = (block as { blockHash?: Hex }).blockHash === head.hash;
    try {
      const { functionName, args } = decodeFunctionData({ abi, data });
      switch (functionName) {
        case 'nodeDailyActive': return parse(encodeFunctionResult({ abi, functionName, result: isAtHead && args[1] === 4 ? 2 : 0 }));
        case 'todayIndex': return parse(encodeFunctionResult({ abi, functionName, result: isAtHead ? 5 : 4 }));
        case 'todayOffset': return parse(encodeFunctionResult({ abi, functionName, result: isAtHead ? 60n : 86_390n }));
        case 'dayInfo': return parse(encodeFunctionResult({ abi, functionName, result: isAtHead ? [1_000n, 4n] : [0n, 0n] }));
      }
    } catch {
      throw new RpcRefused('rpc.example', method, { code: 3, said: 'execution reverted', data: '0x' });
    }
  },
} as Pick<RpcClient, 'ask'> as RpcClient;

it('reads the days of a node at the given block, also from an endpoint whose newest block is older', async () => {
  const found = await fetchNodeDays(behind, service, address, { head, record }, 2);
  expect(found?.days.map(({ index, creditedWeight, expected }) => [index, creditedWeight, expected?.perLicense ?? null])).toEqual([[5, 0, null], [4, 2, 250n]]);
});
