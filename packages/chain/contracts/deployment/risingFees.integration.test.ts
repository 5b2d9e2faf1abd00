import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, expect, it } from 'vitest';
import { startTestChain, testAccount, type TestChain } from '../../testing/testChain.ts';
import { initialFees } from '../../fees/fees.ts';
import type { Hex } from '../../messages/operation.ts';
import { getNonce } from '../../rpc/chainReads.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { RpcRefused } from '../../rpc/rpcErrors.ts';
import { createLocalSigner } from '../../signers/localSigner.ts';
import { checkDeployment } from './checkDeployment.ts';
import type { DeploymentRecord } from './deploymentRecord.ts';
import { startProductionChain, wantedBehind, type ProductionChain } from '../../testing/productionChain.ts';
import { planDeployment } from './planDeployment.ts';
import { sendSteps, type SendOptions } from './sendSteps.ts';
import { startRecord } from './startRecord.ts';

let chain: TestChain | undefined;

afterEach(async () => {
  await chain?.stop();
  chain = undefined;
});

const gwei = 10n ** 9n;

async function startProduction(options: Parameters<typeof startProductionChain>[0] = {}): Promise<ProductionChain> {
  const made = await startProductionChain(options);
  chain = made;
  return made;
}

/** Deploys through `rpc` and returns the record and the progress messages. */
async function deploy(on: ProductionChain, options: Partial<SendOptions> = {}, rpc: RpcClient = on.rpc): Promise<{ record: DeploymentRecord; told: string[] }> {
  const wanted = on.wanted();
  const plan = planDeployment(wanted, on.account.address, await getNonce(on.rpc, on.account.address));
  let record = startRecord(plan, wanted, {});
  const told: string[] = [];
  record = await sendSteps(rpc, record, {
    signer: createLocalSigner(on.account.privateKey), timers: systemInterfaces.timers, feeCapWei: 1_000n * gwei, confirmations: 0, pollMs: 5,
    save: async (next) => { record = next; }, tell: (sentence) => void told.push(sentence), ...options,
  });
  return { record, told };
}

/** Returns timers that raise the base fee at the first wait and mine a block at each later wait. */
function risesOnce(on: ProductionChain, baseFeeWei: bigint): SendOptions['timers'] {
  let risen = false;
  return {
    async sleep() {
      if (!risen) await on.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${baseFeeWei.toString(16)}`]);
      risen = true;
      await on.mine();
    },
  };
}

it('a deployment raises what it offers where the base fee passes it', async () => {
  const on = await startProduction({ automine: false });
  const { record, told } = await deploy(on, { timers: risesOnce(on, 50n * gwei) });
  expect(record.state).toBe('complete');
  expect(told.filter((sentence) => sentence.startsWith('raising'))).not.toEqual([]);
  expect(record.steps[0]!.attempts.length).toBeGreaterThan(1);
  expect(record.steps[0]!.mined!.hash).toBe(record.steps[0]!.attempts.at(-1)!.hash);
});

it('a deployment offers the limit where twice the base fee would pass it, and the base fee does not', async () => {
  const on = await startProduction({ automine: false });
  const { record } = await deploy(on, { timers: risesOnce(on, 50n * gwei), feeCapWei: 60n * gwei });
  expect([record.state, record.steps[0]!.attempts.at(-1)!.maxFeeWei]).toEqual(['complete', 60n * gwei]);
});

it('a deployment waits while the base fee is above the limit, says so once, and goes on when it has fallen', async () => {
  const on = await startProduction({ automine: false });
  let looks = 0;
  const timers = {
    async sleep() {
      looks += 1;
      if (looks <= 20) await on.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${(90n * gwei).toString(16)}`]);
      if (looks === 21) await on.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${(2n * gwei).toString(16)}`]);
      await on.mine();
    },
  };
  const { record, told } = await deploy(on, { timers, feeCapWei: 60n * gwei });
  expect(record.state).toBe('complete');
  expect(told.filter((sentence) => sentence.includes('waits'))).toEqual([expect.stringContaining('the limit of 60 gwei (VOUCH_MAX_FEE_GWEI)')]);
});

it('a deployment whose account has run dry ends with a sentence, and goes on where it was once there is more', async () => {
  const on = await startProduction();
  const wanted = on.wanted();
  let kept = startRecord(planDeployment(wanted, on.account.address, 0), wanted, {});
  const options: SendOptions = {
    signer: createLocalSigner(on.account.privateKey), timers: systemInterfaces.timers, feeCapWei: 1_000n * gwei, confirmations: 0, pollMs: 5, tell: () => {},
    async save(next) {
      kept = next;
      if (next.steps[2]?.mined !== null && next.steps[3]?.attempts.length === 0) await on.setBalance(on.account.address, 1n);
    },
  };
  await expect(sendSteps(on.rpc, kept, options)).rejects.toThrow(/0x\w+ cannot pay for|Insufficient funds|would fail/i);
  await on.setBalance(on.account.address, 10n ** 19n);
  expect((await sendSteps(on.rpc, kept, { ...options, save: async (next) => { kept = next; } })).state).toBe('complete');
});

/** Wraps an endpoint as a chain before EIP-1559: no base fee in blocks, no priority fee, only legacy transactions. */
function withoutBaseFees(rpc: RpcClient): RpcClient {
  const refuse = (method: string, said: string) => new RpcRefused('old.example', method, { said, code: -32_601, data: undefined });
  const request: RpcClient['request'] = async <Result>(method: string, params: readonly unknown[] = [], signal?: AbortSignal): Promise<Result> => {
    if (method === 'eth_maxPriorityFeePerGas' || method === 'eth_feeHistory') throw refuse(method, 'the method does not exist');
    if (method === 'eth_sendRawTransaction' && /^0x0[1-4]/.test(String(params[0]))) throw refuse(method, 'transaction type not supported');
    if (method === 'eth_gasPrice') return '0x77359400' as Result;
    const result = await rpc.request<Result>(method, params, signal);
    return method.startsWith('eth_getBlockBy') && result !== null ? { ...result, baseFeePerGas: undefined } : result;
  };
  return { ...rpc, request, ask: async (method, params, parse, signal) => parse(await request(method, params, signal)) };
}

it('a deployment to a chain without base fees sends transactions of the type before EIP-1559, at the gas price', async () => {
  const on = await startProduction({ genesis: { timestamp: 1_800_000_000, baseFee: 0n } });
  const rpc = withoutBaseFees(on.rpc);
  const { findings, cost } = await checkDeployment(rpc, on.wanted(), planDeployment(on.wanted(), on.account.address, 0), [], { ownerIsAccount: false, feeCapWei: 100n * gwei });
  expect([findings.filter(({ status }) => status === 'fault'), cost?.fees]).toEqual([[], { neededWei: 2n * gwei, maxFeeWei: 2n * gwei }]);
  const { record } = await deploy(on, {}, rpc);
  expect(record.state).toBe('complete');
  const sent = await on.rpc.request<{ type: Hex; gasPrice: Hex }>('eth_getTransactionByHash', [record.steps[0]!.mined!.hash]);
  expect([Number(sent.type), BigInt(sent.gasPrice)]).toEqual([0, 2n * gwei]);
  expect(initialFees({ baseFeeWei: 0n, suggestedTipWei: 2n * gwei, capWei: gwei, legacy: true })).toBeNull();
});

it('the checks find a chain whose EVM is older than the contracts', async () => {
  const old = await startTestChain({ hardfork: 'berlin', chainId: 4_242n, operators: 0 });
  chain = old;
  const from = testAccount(77).address;
  const { address } = testAccount(78);
  const wanted = wantedBehind({ coordinator: address, multisig: address, tee: address });
  const plan = planDeployment(wanted, from, 0);
  const { findings } = await checkDeployment(old.rpc, wanted, plan, plan.steps, { ownerIsAccount: true, feeCapWei: 100n * gwei });
  expect(findings.filter(({ status }) => status === 'fault').map(({ name, detail }) => `${name}: ${detail}`).join('\n')).toMatch(/^instructions: the chain's EVM is older than Cancun/m);
});
