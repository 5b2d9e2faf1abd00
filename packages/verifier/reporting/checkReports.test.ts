import type { Block } from '@vouch/chain/rpc/chainReads';
import type { RpcCall } from '@vouch/chain/rpc/rpcClient';
import { expect, test } from 'vitest';
import type { NodeParts } from '../context/nodeParts.ts';
import { checkReports } from './checkReports.ts';

test('a report that counts is checked again after a while, also if the clock is set back meanwhile: a reorganization may remove the report', async () => {
  const head: Block = { number: 9, hash: '0x09', parentHash: '0x08', timestamp: 1_000, baseFee: 1n, gasLimit: 1n, gasUsed: 0n };
  let [nowMs, passedMs, checks] = [7_200_000, 0, 0];
  const parts = {
    record: { all: () => [reported] },
    rpc: {
      batch: async (calls: readonly RpcCall[]) => {
        checks += 1;
        return calls.map(({ method }) => ({ ok: true, result: method === 'eth_call' ? `0x${'1'.padStart(64, '0')}` : null }));
      },
    },
    system: { clock: { now: () => nowMs }, elapsedMs: () => passedMs },
    configuration: { contract: { service: `0x${'5e'.repeat(20)}` } }, node: `0x${'12'.repeat(20)}`,
  } as unknown as NodeParts;
  const reported = { attestationId: `0x${'a7'.repeat(32)}`, state: 'reported', deadline: 2_000, chosenIndex: 0 };
  await checkReports(parts, head);
  await checkReports(parts, head);
  expect(checks).toBe(1);
  nowMs -= 3_600_000;
  passedMs += 30_000;
  await checkReports(parts, head);
  expect(checks).toBe(2);
});
