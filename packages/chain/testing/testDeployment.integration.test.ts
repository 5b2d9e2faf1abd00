import { encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { verifierServiceAbi } from '../contracts/abi/verifierService.ts';
import { ethCall, getBlock, getCode } from '../rpc/chainReads.ts';
import { startTestDeployment, type DeployedTestChain } from './testDeployment.ts';

async function weights(chain: DeployedTestChain): Promise<bigint[]> {
  const calls = chain.operators.map(({ address }) => encodeFunctionData({ abi: verifierServiceAbi, functionName: 'delegationWeights', args: [address] }));
  return Promise.all(calls.map(async (data) => BigInt(await ethCall(chain.rpc, { to: chain.contracts.service, data }))));
}

describe('a chain of a test with the contracts', () => {
  it('has code at every address, and a license at each operator', async () => {
    const chain = await startTestDeployment({ operators: 3, licenses: 2 });
    try {
      for (const address of Object.values(chain.contracts)) expect((await getCode(chain.rpc, address)).length).toBeGreaterThan(100);
      expect(await weights(chain)).toEqual([2n, 2n, 2n]);
    } finally {
      await chain.stop();
    }
  });

  it('is the same the second time, and neither sees what happens on the other', async () => {
    const [first, second] = [await startTestDeployment({ automine: false }), await startTestDeployment({ blockTimeSeconds: 60 })];
    try {
      expect(second.contracts).toEqual(first.contracts);
      const before = await getBlock(second.rpc, 'latest');
      await first.mine(5);
      expect(await getBlock(second.rpc, 'latest')).toEqual(before);
      expect(await weights(second)).toEqual([1n, 1n, 1n, 1n, 1n]);
    } finally {
      await first.stop();
      await second.stop();
    }
  });
});
