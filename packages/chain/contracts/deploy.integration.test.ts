import { decodeFunctionResult, encodeFunctionData, parseEventLogs } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestChain, type TestChain } from '../testing/testChain.ts';
import type { Hex, Operation } from '../messages/operation.ts';
import { signOperation } from '../messages/sign.ts';
import { ethCall, getCode, type Receipt } from '../rpc/chainReads.ts';
import { RpcRefused } from '../rpc/rpcErrors.ts';
import { disputableSlasherAbi } from './abi/disputableSlasher.ts';
import { verifierServiceAbi } from './abi/verifierService.ts';
import { revertingServiceBytecode } from './bytecode/revertingService.ts';
import { deployContracts, type Deployment } from './deploy.ts';
import { chainTime, delegateLicenses, mintLicenses, reportAttestations } from './devnetActions.ts';
import { localRules } from './rules.ts';
import { sendTransactions } from './sendTransactions.ts';

let chain: TestChain;
let contracts: Deployment;

beforeAll(async () => {
  chain = await startTestChain({ operators: 4 });
  contracts = await deployContracts(chain.rpc, { deployerKey: chain.deployer.privateKey });
  const holders = chain.operators.slice(0, 3).map(({ address }) => ({ address, count: 2 }));
  await mintLicenses(chain.rpc, contracts, holders, { key: chain.deployer.privateKey });
});

afterAll(async () => {
  await chain?.stop();
});

const send = async (data: Hex): Promise<Receipt> =>
  (await sendTransactions(chain.rpc, [{ to: contracts.service, data }], { key: chain.relayer.privateKey }))[0] as Receipt;

const eventsOf = ({ logs }: Receipt) => parseEventLogs({
  abi: verifierServiceAbi,
  logs: logs.map(({ topics: [first, ...others], blockNumber, ...log }) => ({
    ...log, topics: first === undefined ? [] : [first, ...others], blockNumber: BigInt(blockNumber), transactionIndex: 0, removed: false,
  })),
});

async function weightOf(node: Hex): Promise<number> {
  const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'delegationWeights', args: [node] });
  return decodeFunctionResult({ abi: verifierServiceAbi, functionName: 'delegationWeights', data: await ethCall(chain.rpc, { to: contracts.service, data }) });
}

async function enterCall(operator: number): Promise<Hex> {
  const { address, privateKey } = chain.operators[operator] as TestChain['operators'][number];
  const expiredAt = (await chainTime(chain.rpc)) + 3_600n;
  const replacedNode: Hex = `0x${'0'.repeat(40)}`;
  const { v, r, s } = await signOperation({ kind: 'enter', replacedNode, expiredAt }, chain.domain, privateKey);
  return encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnterWithSignature', args: [replacedNode, expiredAt, address, v, r, s] });
}

describe('a deployment on a local chain', () => {
  it('has code at every address', async () => {
    const codes = await Promise.all(Object.values(contracts).map((address: Hex) => getCode(chain.rpc, address)));
    expect(codes.filter((code) => code.length < 100)).toEqual([]);
  });

  it('names a slasher of the service, whose roles the deployer has', async () => {
    const read = async (to: Hex, data: Hex): Promise<Hex> => ethCall(chain.rpc, { to, data });
    const slasher = decodeFunctionResult({
      abi: verifierServiceAbi, functionName: 'slasher',
      data: await read(contracts.service, encodeFunctionData({ abi: verifierServiceAbi, functionName: 'slasher' })),
    });
    const roles = await Promise.all((['SLASHER_ROLE', 'ARBITER_ROLE'] as const).map(async (functionName) => {
      const role = await read(slasher, encodeFunctionData({ abi: disputableSlasherAbi, functionName }));
      return BigInt(await read(slasher, encodeFunctionData({ abi: disputableSlasherAbi, functionName: 'hasRole', args: [role, chain.deployer.address] })));
    }));
    expect(roles).toEqual([1n, 1n]);
  });

  it('counts a license for its holder, and for the node that it is delegated to', async () => {
    const [first, , , fourth] = chain.operators.map(({ address }) => address) as [Hex, Hex, Hex, Hex];
    expect([await weightOf(first), await weightOf(fourth)]).toEqual([2, 0]);
    await delegateLicenses(chain.rpc, contracts, [1n], fourth, { key: chain.operators[0]?.privateKey as Hex });
    expect([await weightOf(first), await weightOf(fourth)]).toEqual([1, 1]);
  });

  it('takes signed messages in a multicall and says which call failed', async () => {
    const calls = [await enterCall(0), await enterCall(1), await enterCall(2)];
    const receipt = await send(encodeFunctionData({ abi: verifierServiceAbi, functionName: 'multicall', args: [[...calls, calls[1] as Hex]] }));
    const events = eventsOf(receipt);
    expect(events.filter(({ eventName }) => eventName === 'OperationApplied')).toHaveLength(3);
    const failed = events.filter(({ eventName }) => eventName === 'CallFailed');
    expect(failed.map(({ args }) => (args as { index: bigint }).index)).toEqual([3n]);
  });

  it('counts the good reports of a batch and says why the others do not count', async () => {
    const { attestationIds, chosen, deadline } = await reportAttestations(chain.rpc, contracts, ['first', 'second'], { key: chain.deployer.privateKey });
    expect([...chosen].sort()).toEqual(chain.operators.slice(0, 3).map(({ address }) => address).sort());
    expect(deadline).toBe((await chainTime(chain.rpc)) + 1_800n);
    const attestationId = attestationIds[1] as Hex;
    const infos = await Promise.all([0, 1, 2, 2].map(async (place, entry) => {
      const signer = chosen[place] as Hex;
      const key = chain.operators.find(({ address }) => address === signer)?.privateKey as Hex;
      const report: Operation = { kind: 'report', attestationId, result: 0, index: place };
      const signature = await signOperation(report, entry === 1 ? { ...chain.domain, version: '0' } : chain.domain, key);
      return { result: 0, index: place, signer, ...signature };
    }));
    const receipt = await send(encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeReportVerificationBatch', args: [attestationId, infos] }));
    const events = eventsOf(receipt);
    const skipped = events.filter((event) => event.eventName === 'ReportSkipped').map(({ args: { position, reason } }) => [position, reason]);
    expect(skipped).toEqual([[1n, 'signer not match'], [3n, 'Already verify']]);
    const counted = events.flatMap((event) => (event.eventName === 'NodeReportVerificationBatch' ? event.args.infos : []));
    expect(counted.map(({ index }) => index)).toEqual([0, 2]);
  });
});

describe('other deployments', () => {
  it('may have shorter periods, another domain and the reverting service of tests', async () => {
    const other = await deployContracts(chain.rpc, {
      deployerKey: chain.deployer.privateKey, rules: localRules, domain: { name: 'Other', version: '2' }, serviceBytecode: revertingServiceBytecode,
    });
    expect(Object.values(other).filter((address) => Object.values(contracts).includes(address))).toEqual([]);
    const { deadline } = await reportAttestations(chain.rpc, other, ['third'], { key: chain.deployer.privateKey });
    expect(deadline).toBe((await chainTime(chain.rpc)) + 120n);
    const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'supportsIsolation' });
    await expect(ethCall(chain.rpc, { to: other.service, data })).rejects.toThrow(RpcRefused);
  });

  it('work on a chain that makes blocks only when told', async () => {
    const still = await startTestChain({ operators: 1, automine: false });
    try {
      const options = { mine: () => still.mine(), timers: { sleep: async () => {} } };
      const deployed = await deployContracts(still.rpc, { deployerKey: still.deployer.privateKey, ...options });
      expect(await getCode(still.rpc, deployed.service)).toMatch(/^0x[0-9a-f]{40000,}$/);
    } finally {
      await still.stop();
    }
  });
});

describe('a transaction that reverts', () => {
  it('is an error with the words of the contract', async () => {
    const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeExit' });
    await expect(sendTransactions(chain.rpc, [{ to: contracts.service, data, gas: 100_000n }], { key: chain.relayer.privateKey }))
      .rejects.toThrow(/reverted \(0x[0-9a-f]{64}\): .*Already exit/);
    await expect(sendTransactions(chain.rpc, [{ to: contracts.service, data }], { key: chain.relayer.privateKey })).rejects.toThrow(/Already exit/);
  });
});
