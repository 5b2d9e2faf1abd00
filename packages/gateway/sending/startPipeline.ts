import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Signer } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import type { Lease } from '@vouch/platform/lease/lease';
import type { Platform } from '@vouch/platform/product/product';
import { createChainFollower } from '../confirming/followChain.ts';
import { settingOf } from '../deployments/namedDeployment.ts';
import { requestChannel } from '../requests/gatewayRequest.ts';
import type { ActivityReporter, LaneContext } from './laneContext.ts';
import { createLaneSigner } from './laneSigner.ts';
import type { RelayerKey } from './relayerKeys.ts';
import { runLane } from './runLane.ts';
import { measurePipeline } from './measurePipeline.ts';
import type { Rest } from './advanceLane.ts';

/** The settings that the pipeline reads, by their names in the gateway's schema. */
export interface PipelineSettings {
  /** A request waits at most this long for others. */
  batch_window_ms: number;
  batch_max_operations: number;
  batch_max_gas: number;
  max_fee_gwei: number;
  /** Below it a key starts nothing new. */
  min_balance_eth: number;
  /** So many blocks must follow that of a transaction before it is final. */
  confirmations: number;
}

/** The chain as the wiring hands it over. What needs the network is asked when it is first used, and again after a failure. */
export interface PipelineChain {
  /** Name of the deployment in the settings. */
  name: string;
  rpc: RpcClient;
  chainId: bigint;
  contract: Hex;
  /** Multicall3, for a contract that does not isolate failing entries itself. */
  multicall: Hex;
  /** Name by which rows are scoped, as metrics ask for it; rejects soon where the chain is away and was never reached. */
  knownDeployment(): Promise<string>;
  /**
   * Whether the key may be used here; false where another deployment on the same chain has it. One key has one sequence of nonces on a chain.
   */
  takeKey(relayer: Hex): boolean;
  /** Name by which rows are scoped, and whether the contract isolates failing entries itself. */
  deployment(): Promise<{ name: string; native: boolean }>;
  /** Makes the activity reporter of one key; absent where the operator does not want daily activity reported. */
  createReporter?: (() => ActivityReporter) | undefined;
  /** The keys that pay: opening one may take a second, or fail while its service is away. */
  relayerKeys: readonly RelayerKey[];
}

export interface Pipeline {
  /** Looks at the queue at once; otherwise it is looked at once a second and after each NOTIFY. */
  wake(): void;
  /** Ends in the middle of whatever runs: nothing is lost by that. */
  close(): Promise<void>;
}

/** What the pipeline uses of the platform. */
export type PipelinePlatform = Pick<Platform, 'database' | 'log' | 'clock' | 'timers' | 'random' | 'metrics'>;

const weiPerGwei = 1e9;
const weiPerEther = 1e18;
const retryMs = 1_000;
/** Keys that cannot be opened: that ends only when somebody changes a file, and each try at a keystore takes a second of a processor and 256 MB. */
const keysRetryMs = 30_000;
/** The view of the chain reaches this much below what a confirmation needs; deeper blocks are asked one by one. */
const viewExtra = 40;
const maxView = 256;
/** Where the contract itself lets a message take effect once, a stranger's use of a nonce is believed after two blocks. */
const strangerBlocksWhereOnce = 2;

/** Starts one lane per relayer key: what was accepted is batched, sent and followed until it is final. */
export function startPipeline(platform: PipelinePlatform, settings: PipelineSettings, chain: PipelineChain): Pipeline {
  const { database, log, timers, clock, metrics } = platform;
  const closing = new AbortController();
  const calls = createCalls(timers, closing.signal);
  const written = new Map<Hex, boolean>();
  const running = untilClosed(() => openLanes(platform, settings, chain, calls, written, closing.signal), platform, closing.signal);
  measurePipeline({ metrics, connection: database, clock, log, name: chain.name, deployment: () => chain.knownDeployment(), written });
  running.catch((error: unknown) => log.error({ err: error }, 'the pipeline ended'));
  return {
    wake: () => calls.wake(),
    async close() {
      closing.abort();
      await running.catch(() => undefined);
    },
  };
}

async function openLanes(
  platform: PipelinePlatform, settings: PipelineSettings, chain: PipelineChain, calls: Calls, written: Map<Hex, boolean>, signal: AbortSignal,
): Promise<void> {
  const { database, log, clock, timers, random } = platform;
  // Asked first, since it is cheap: while the chain does not answer, no keystore is opened in vain.
  const { name } = await chain.deployment();
  const unlisten = await database.listen(requestChannel, () => calls.wake());
  const changed = new AbortController();
  const within = AbortSignal.any([signal, changed.signal]);
  const taken = new Set<Hex>();
  try {
    await Promise.all(chain.relayerKeys.map(async (key) => {
      const signer = await openUntilClosed(key, platform, within);
      // One key may be named twice, by its file and by itself.
      if (signer === null || taken.has(signer.address)) return;
      taken.add(signer.address);
      if (!chain.takeKey(signer.address)) return log.error({ key: key.name, relayer: signer.address, deployment: name }, 'the relayer key is not used: another deployment on the same chain has it; give each deployment keys of its own');
      // Known from the start, so that a standby shows 0.
      written.set(signer.address, false);
      await runLane({
        database, log, rpc: chain.rpc,
        lane: { deployment: name, relayer: signer.address },
        signal: within,
        doors: { clock, timers, random },
        async check() {
          const { name: now } = await chain.deployment();
          if (now === name || changed.signal.aborted) return;
          log.warn({ before: name, now }, 'the endpoints serve another chain than before; the lanes begin anew there');
          changed.abort();
        },
        open: (lease, rpc) => openLane(platform, settings, { ...chain, rpc }, signer, lease),
        writing: (now) => void written.set(signer.address, now),
        rest: calls.newRest(),
      });
    }));
  } finally {
    calls.forgetRests();
    await unlisten();
  }
}

/** Opens a key as often as it takes; the others do not wait for it. @returns null once the signal aborts */
async function openUntilClosed(key: RelayerKey, { log, timers }: PipelinePlatform, signal: AbortSignal): Promise<Signer | null> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      return await key.open(signal);
    } catch (error) {
      if (signal.aborted) break;
      const passes = error instanceof SignerFault && passing.has(error.kind);
      log.warn({ key: key.name, reason: (error as Error).message }, 'a relayer key cannot be opened yet; it is tried again, and the other keys send meanwhile');
      await timers.sleep(passes ? Math.min(keysRetryMs, retryMs * 2 ** tries) : keysRetryMs, signal);
    }
  }
  return null;
}

/** What a service may get over without anybody's doing. */
const passing: ReadonlySet<SignerFault['kind']> = new Set(['unreachable', 'timeout', 'throttled']);

async function openLane(
  platform: PipelinePlatform, settings: PipelineSettings, chain: PipelineChain, signer: Signer, lease: Lease,
): Promise<LaneContext> {
  const { log, clock, timers, random } = platform;
  const { name, native } = await chain.deployment();
  const { confirmations } = settings;
  return {
    database: lease, log,
    signer: createLaneSigner(signer, chain.chainId, clock),
    doors: { clock, timers, random },
    rpc: chain.rpc,
    lane: { deployment: name, relayer: signer.address },
    service: chain.contract,
    isolation: native ? { kind: 'native' } : { kind: 'multicall3', address: chain.multicall },
    follower: createChainFollower(chain.rpc, Math.min(confirmations + viewExtra, maxView)),
    rules: { confirmations, strangerConfirmations: native ? Math.min(confirmations, strangerBlocksWhereOnce) : confirmations },
    limits: { windowMs: settings.batch_window_ms, operations: settings.batch_max_operations, gas: settings.batch_max_gas },
    feeCapWei: BigInt(Math.round(settings.max_fee_gwei * weiPerGwei)),
    feeCapSetting: settingOf(chain.name, 'max_fee_gwei'),
    balanceMinWei: BigInt(Math.round(settings.min_balance_eth * weiPerEther)),
    lastLook: { nextMs: 0, reportedMs: 0, behind: 0, vain: new Map() },
    ...(chain.createReporter === undefined ? {} : { reporter: chain.createReporter() }),
  };
}

/** Restarts the work until the signal aborts: the chain may start later than the gateway, and a different chain may replace it. */
async function untilClosed(work: () => Promise<void>, { log, timers }: PipelinePlatform, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ reason: (error as Error).message }, 'the pipeline of the gateway cannot start yet; it tries again');
      await timers.sleep(retryMs, signal);
    }
  }
}

/** Calls that wake resting lanes; a call that comes while a lane works is not lost. */
interface Calls {
  wake(): void;
  forgetRests(): void;
  newRest(): (rest: Rest) => Promise<void>;
}

function createCalls(timers: PipelinePlatform['timers'], closing: AbortSignal): Calls {
  const wakers = new Set<() => void>();
  return {
    wake() {
      for (const waker of wakers) waker();
    },
    forgetRests: () => wakers.clear(),
    newRest() {
      let called = false;
      let resting: AbortController | null = null;
      wakers.add(() => {
        called = true;
        resting?.abort();
      });
      return async ({ milliseconds, untilCalled }) => {
        if (milliseconds === 0 || (untilCalled && called)) {
          called = false;
          return;
        }
        resting = untilCalled ? new AbortController() : null;
        await timers.sleep(milliseconds, resting === null ? closing : AbortSignal.any([closing, resting.signal]));
        resting = null;
        if (untilCalled) called = false;
      };
    },
  };
}
