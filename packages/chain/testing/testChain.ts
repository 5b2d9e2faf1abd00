import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { privateKeyToAddress } from 'viem/accounts';
import type { Domain, Hex } from '../messages/operation.ts';
import { createRpcClient } from '../rpc/createRpcClient.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { localChainId } from '../devnet/localChainId.ts';
import { startAnvil, type Genesis } from '../devnet/startAnvil.ts';

export interface TestChainOptions {
  /** Default: 31337. */
  chainId?: bigint;
  /** Time and base fee of the genesis block. By default, anvil chooses both. */
  genesis?: Genesis;
  /** Interval of blocks. By default, each transaction gets a block at once. */
  blockTimeSeconds?: number;
  /** Creates a block for each transaction at once, in addition to the interval. */
  mixedMining?: boolean;
  /** If false, only `mine` creates blocks. */
  automine?: boolean;
  /** EVM version, such as `berlin`. Default: anvil's newest. */
  hardfork?: string;
  /** Gas limit of a block. Default: 30 million. */
  gasLimit?: bigint;
  /** File of a saved state. */
  loadState?: string;
  /** Number of funded operators. Default: 5. */
  operators?: number;
  system?: SystemInterfaces;
}

export interface TestAccount {
  address: Hex;
  privateKey: Hex;
}

/** A local chain of one test file. */
export interface TestChain {
  url: string;
  rpc: RpcClient;
  pid: number | null;
  chainId: bigint;
  domain: Domain;
  deployer: TestAccount;
  relayer: TestAccount;
  operators: readonly TestAccount[];
  mine(blocks?: number): Promise<void>;
  /** Advances the chain's clock and mines a block. */
  increaseTime(seconds: number): Promise<void>;
  /** Sets the balance of an account, in wei. */
  setBalance(address: Hex, wei: bigint): Promise<void>;
  stop(): Promise<void>;
}

const balanceWei = 10n ** 21n;

/** Starts anvil on a free port. anvil ends with the test process. */
export async function startTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const { operators = 5, system = systemInterfaces, ...anvilOptions } = options;
  const { chainId = BigInt(localChainId) } = options;
  const anvil = await startAnvil(anvilOptions, system.timers);
  const rpc = createRpcClient({ urls: [anvil.url], timeoutMs: 240_000 }, system);
  const setBalance = async (address: Hex, wei: bigint): Promise<void> => {
    await rpc.request('anvil_setBalance', [address, wei]);
  };
  const mine = async (blocks = 1): Promise<void> => {
    await rpc.request('anvil_mine', [blocks]);
  };
  const accounts = { deployer: testAccount(1), relayer: testAccount(2) };
  const nodes = Array.from({ length: operators }, (_, place) => testAccount(1_000 + place));
  for (const { address } of [...Object.values(accounts), ...nodes]) await setBalance(address, balanceWei);
  return {
    url: anvil.url,
    rpc,
    pid: anvil.pid,
    chainId,
    domain: { name: 'ProtocolService', version: '1.0.0', chainId },
    ...accounts,
    operators: nodes,
    mine,
    async increaseTime(seconds) {
      await rpc.request('evm_increaseTime', [seconds]);
      await mine();
    },
    setBalance,
    async stop() {
      await rpc.close();
      await anvil.stop();
    },
  };
}

/** Returns an account with a predictable key, only for tests. */
export function testAccount(number: number): TestAccount {
  const privateKey: Hex = `0x${number.toString(16).padStart(64, '0')}`;
  return { privateKey, address: privateKeyToAddress(privateKey).toLowerCase() as Hex };
}
