import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Signer } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import type { Lease } from '@vouch/platform/lease/lease';
import type { Platform } from '@vouch/platform/product/product';
import { underAny } from '@vouch/platform/process/underAny';
import { createChainFollower } from './confirming/followChain.ts';
import { settingOf } from '../deployments/namedDeployment.ts';
import { requestChannel } from '../requests/gatewayRequest.ts';
import type { ActivityReporter, LaneContext } from './laneContext.ts';
import { createLaneSigner } from './laneSigner.ts';
import type { RelayerKey } from './relayerKeys.ts';
import { runLane } from './runLane.ts';
import { createRowTidier, type Retention } from '../retention/tidyRows.ts';
import { createMessageTracer } from './tracing/traceEnded.ts';
import { measurePipeline } from './measurePipeline.ts';
import type { Rest } from './advanceLane.ts';

/** The settings that the pipeline reads, by their names in the gateway's schema. */
export interface PipelineSettings {
  /** Maximum time in ms that a request waits for others. */
  batch_window_ms: number;
  batch_max_operations: number;
  batch_max_gas: number;
  max_fee_gwei: number;
  /** Minimum balance in ETH; a key below it starts no new transactions. */
  min_balance_eth: number;
  /** Blocks that must follow a transaction's block before the transaction is final. */
  confirmations: number;
}

/** The chain's dependencies. The functions use the network at the first call and try again after a failure. */
export interface PipelineChain {
  /** Name of the deployment in the settings. */
  name: string;
  rpc: RpcClient;
  chainId: bigint;
  contract: Hex;
  /** Address of Multicall3, for a contract that does not isolate failing entries. */
  multicall: Hex;
  /** Name that scopes the rows, for metrics; rejects within 2 s while the chain is unreachable and was never reached. */
  knownDeployment(): Promise<string>;
  /** Name that scopes the rows, and whether the contract isolates failing entries. */
  deployment(): Promise<{ name: string; native: boolean }>;
  /** The same, read from the chain now; rejects if the chain has another first block than before. */
  readDeployment(): Promise<{ name: string }>;
  /** Creates the activity reporter of one key; absent if the settings disable activity reports. */
  createReporter?: (() => ActivityReporter) | undefined;
  /** How long ended rows are kept. */
  retention: Retention;
  /** The relayer keys; opening one can take a second, or fail while its signing service is unreachable. */
  relayerKeys: readonly RelayerKey[];
}

/** A running pipeline. */
export interface Pipeline {
  /** Reads the queue immediately; without a call, the queue is read once per second and after each NOTIFY. */
  wake(): void;
  /** Stops immediately, even during a step; the next start resumes from the stored state. */
  close(): Promise<void>;
}

/** The parts of the platform that the pipeline uses. */
export type PipelinePlatform = Pick<Platform, 'database' | 'log' | 'clock' | 'elapsedMs' | 'timers' | 'random' | 'metrics' | 'tracer'>;

const weiPerGwei = 1e9;
const weiPerEther = 1e18;
const retryMs = 1_000;
/**
 * Retry interval in ms for keys that fail permanently: only a changed file helps, and each keystore attempt takes 1 s of CPU
 * and 256 MB.
 */
const keysRetryMs = 30_000;
/** Blocks of the view beyond `confirmations`; deeper blocks are read one at a time. */
const viewExtra = 40;
const maxView = 256;

/** Starts one lane per relayer key. Lanes batch and send accepted messages and follow each transaction until it is final. */
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
  const { database, log, clock, elapsedMs, timers, random, tracer } = platform;
  // The chain is read first: while it is unreachable, opening keystores would waste CPU and memory.
  const { name } = await chain.deployment();
  const unlisten = await database.listen(requestChannel, () => calls.wake());
  const changed = new AbortController();
  const within = AbortSignal.any([signal, changed.signal]);
  const taken = new Set<Hex>();
  try {
    await Promise.all(chain.relayerKeys.map(async (key) => {
      const signer = await openUntilClosed(key, platform, within);
      // The same key can be configured twice, as a keystore and as a private key.
      if (signer === null || taken.has(signer.address)) return;
      taken.add(signer.address);
      // Set before the lane starts, so that a standby process reports 0.
      written.set(signer.address, false);
      await runLane({
        database, log, rpc: chain.rpc,
        lane: { deployment: name, relayer: signer.address },
        signal: within,
        system: { clock, elapsedMs, timers, random },
        async check() {
          const { name: now } = await chain.deployment();
          if (now === name || changed.signal.aborted) return;
          log.warn({ before: name, now }, 'the RPC endpoints serve a different chain than before; the relayer lanes restart on that chain');
          changed.abort();
        },
        open: (lease, rpc) => openLane(platform, settings, { ...chain, rpc }, signer, lease),
        tidier: createRowTidier(chain.retention),
        messageTracer: tracer === null ? null : createMessageTracer(tracer),
        writing: (now) => void written.set(signer.address, now),
        rest: calls.newRest(),
      });
    }));
  } finally {
    calls.forgetRests();
    await unlisten();
  }
}

/**
 * Retries until the key opens; other keys do not wait for it.
 * @returns null once the signal aborts
 */
async function openUntilClosed(key: RelayerKey, { log, timers }: PipelinePlatform, signal: AbortSignal): Promise<Signer | null> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      return await key.open(signal);
    } catch (error) {
      if (signal.aborted) break;
      const passes = error instanceof SignerFault && passing.has(error.kind);
      log.warn({ key: key.name, reason: (error as Error).message }, 'a relayer key cannot be opened yet; the gateway retries while the other keys send');
      await timers.sleep(passes ? Math.min(keysRetryMs, retryMs * 2 ** tries) : keysRetryMs, signal);
    }
  }
  return null;
}

/** Kinds of faults that a signing service can recover from by itself. */
const passing: ReadonlySet<SignerFault['kind']> = new Set(['unreachable', 'timeout', 'throttled']);

async function openLane(
  platform: PipelinePlatform, settings: PipelineSettings, chain: PipelineChain, signer: Signer, lease: Lease,
): Promise<LaneContext> {
  const { log, clock, elapsedMs, timers, random } = platform;
  const { name, native } = await chain.deployment();
  const { confirmations } = settings;
  return {
    database: lease, log,
    signer: createLaneSigner(signer, chain.chainId, platform),
    system: { clock, elapsedMs, timers, random },
    rpc: chain.rpc,
    lane: { deployment: name, relayer: signer.address },
    chainId: chain.chainId,
    service: chain.contract,
    isolation: native ? { kind: 'native' } : { kind: 'multicall3', address: chain.multicall },
    follower: createChainFollower(chain.rpc, Math.min(confirmations + viewExtra, maxView), async () => {
      // A chain with the same id but another first block would execute the same bytes, and its blocks would confirm messages of this one.
      const now = await chain.readDeployment();
      if (now.name !== name) throw new Error(`the RPC endpoints serve ${now.name}, but the key sends for ${name}`);
    }),
    rules: { confirmations },
    limits: { windowMs: settings.batch_window_ms, operations: settings.batch_max_operations, gas: settings.batch_max_gas },
    feeCapWei: BigInt(Math.round(settings.max_fee_gwei * weiPerGwei)),
    feeCapSetting: settingOf(chain.name, 'max_fee_gwei'),
    balanceMinWei: BigInt(Math.round(settings.min_balance_eth * weiPerEther)),
    lastLook: { nextMs: -Infinity, reportedMs: -Infinity, behind: 0, replaced: 0, head: null, vain: new Map() },
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
      log.warn({ reason: (error as Error).message }, 'the pipeline of the gateway cannot start yet; the gateway retries');
      await timers.sleep(retryMs, signal);
    }
  }
}

/** Wakes resting lanes. A call during a step ends the next rest that a call may end. */
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
        await underAny(resting === null ? [closing] : [closing, resting.signal], (signal) => timers.sleep(milliseconds, signal));
        resting = null;
        if (untilCalled) called = false;
      };
    },
  };
}
