import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Logger } from '@vouch/platform/log/logger';
import type { Doors } from '@vouch/platform/process/doors';
import { resolve } from 'node:path';
import { messageOf } from '../logging/messageOf.ts';
import { CollateralLane } from '../collateral/keepCollateral.ts';
import { unknownFreshness } from '../context/collateralFreshness.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { MembershipLane } from '../membership/keepMembership.ts';
import { DaysLane } from '../rewards/watchDays.ts';
import { createSender } from '../reporting/createSender.ts';
import { watchSender } from '../reporting/watchedSender.ts';
import { ReportingLane } from '../reporting/sendReports.ts';
import { JudgingLane } from '../scanning/judgeAttestations.ts';
import { RandomnessLane } from '../scanning/awaitRandomness.ts';
import { ChainWatch, OtherChain } from '../scanning/watchChain.ts';
import { takeFolder } from '../state/lockFolder.ts';
import { NodeRecord } from '../state/nodeRecord.ts';
import { nodeFolder } from '../state/nodeFolder.ts';
import type { NodeState } from '../state/nodeState.ts';
import { Alarms } from '../context/alarms.ts';
import { ChainTime } from '../context/chainTime.ts';
import { leaveActiveSet } from './leaveActiveSet.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import { NodeFault, openState, fetchChainStart, type ChainStart } from './openNode.ts';
import { AlarmPost } from './postAlarms.ts';
import { serveHealth } from './serveHealth.ts';

export interface NodeOptions {
  configuration: NodeConfiguration;
  /** 32 bytes. */
  privateKey: Hex;
  /** Address of that key, lower case. */
  node: Hex;
  doors: Doors;
  log: Logger;
  /** Whether a stop leaves the active set first; false unless told. */
  exitOnStop?: boolean;
}

/** How a node ended. `stopped`: as asked; `left`: and it left the active set before. */
interface NodeEnd {
  how: 'stopped' | 'left' | 'stayed';
}

export interface RunningNode {
  node: Hex;
  /** Where it keeps its state. */
  folder: string;
  /** What it knows now; null until the chain was read for the first time. */
  state(): NodeState | null;
  /** Settles when the node has ended. @throws NodeFault where it cannot work as configured */
  done: Promise<NodeEnd>;
  /** Ends it in order; what is on its way is written down. Resolves with `done`. */
  stop(): Promise<void>;
}

/** Until the chain answers at the start, it is asked again after so long. */
const startRetryMs = 5_000;
/** Without an answer at the start for so long, an operator is called. */
const startOutageMs = 120_000;

/**
 * Starts a node: lock, state, chain, then the lanes that watch the chain, judge attestations, send reports and keep the
 * membership, side by side. Many may run in one process.
 * @throws FolderBusy where another node works in the folder, FolderUnusable where nothing can be kept there
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { configuration, node } = options;
  const { folder: chosen, other, note } = nodeFolder(configuration, node);
  const folder = resolve(chosen);
  const unlock = await takeFolder(folder, other);
  if (note !== null) options.log.warn(note);
  const running = new NodeRun(options, folder);
  const done = running.run().finally(unlock);
  done.catch(() => {});
  return {
    node, folder, done,
    state: () => running.record?.snapshot() ?? null,
    async stop() {
      running.stop();
      await done;
    },
  };
}

/** One run of a node, from its lock to its end. */
class NodeRun {
  record: NodeRecord | null = null;
  readonly #options: NodeOptions;
  readonly #folder: string;
  readonly #stop = new AbortController();
  readonly #rpc: RpcClient;
  readonly #alarms: Alarms;
  readonly #post: AlarmPost | null;

  constructor(options: NodeOptions, folder: string) {
    const { configuration: { chain, alertUrl }, node, doors, log } = options;
    this.#options = options;
    this.#folder = folder;
    this.#rpc = createRpcClient({ urls: chain.rpcUrls }, doors);
    this.#post = alertUrl === null ? null : new AlarmPost({ url: alertUrl, node, chainName: chain.chainName }, doors, log, this.#stop.signal);
    this.#alarms = new Alarms(log, doors.clock, (event) => this.#post?.post(event));
  }

  stop(): void {
    this.#stop.abort(new Error('the node is to stop'));
  }

  async run(): Promise<NodeEnd> {
    const { log, node, configuration, exitOnStop = false } = this.#options;
    try {
      let parts = await this.#waitForChain(false);
      while (parts !== null) {
        log.info({ folder: this.#folder, block: parts.record.last.block }, `Node ${showAddress(node)} on ${configuration.chain.chainName} begins behind block ${parts.record.last.block}.`);
        await this.#work(parts);
        if (this.#stop.signal.aborted) {
          const how = exitOnStop ? await leaveActiveSet(parts) : 'stopped';
          await this.#saveAtEnd(parts);
          log.info('The node has stopped.');
          return { how };
        }
        await this.#saveAtEnd(parts);
        // What was said was of a chain that is gone.
        this.#alarms.clearAll();
        parts = await this.#waitForChain(true);
      }
      return { how: 'stopped' };
    } finally {
      this.#stop.abort(new Error('the node has ended'));
      await this.#post?.idle();
      await this.#rpc.close();
    }
  }

  /** Until the node is to stop, or the endpoint serves a chain with another first block. */
  async #work(parts: NodeParts): Promise<void> {
    const other = new AbortController();
    const working = { ...parts, signal: AbortSignal.any([this.#stop.signal, other.signal]) };
    const health = await serveHealth(working);
    const lanes = [new ChainWatch(working), new JudgingLane(working), new ReportingLane(working), new MembershipLane(working, this.#folder), new DaysLane(working), new RandomnessLane(working), new CollateralLane(working, this.#folder)];
    await Promise.all(lanes.map((lane) => this.#keepGoing(lane, working.signal, () => other.abort(new Error('the chain is another one')))));
    await health?.close();
  }

  async #saveAtEnd({ record }: NodeParts): Promise<void> {
    await record.save(true).catch((error: unknown) => this.#options.log.error({ fault: messageOf(error) }, 'The state could not be saved at the end.'));
  }

  /** An unforeseen failure of a lane must end neither that lane nor the other lanes. */
  async #keepGoing(lane: { run(): Promise<void> }, signal: AbortSignal, endAll: () => void): Promise<void> {
    const { doors, log } = this.#options;
    while (!signal.aborted) {
      try {
        await lane.run();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof OtherChain) return endAll();
        log.error(`Something was not foreseen, and is tried again in ${startRetryMs / 1_000} s: ${messageOf(error)}. Please report it.`);
        await doors.timers.sleep(startRetryMs, signal);
      }
    }
  }

  /**
   * Null where the node is stopped before the chain answers.
   * @param begunAnew a chain that is begun anew answers before it has its contracts: it gets the time for them
   */
  async #waitForChain(begunAnew: boolean): Promise<NodeParts | null> {
    const { configuration, doors, log } = this.#options;
    const { signal } = this.#stop;
    const since = doors.clock.now();
    let said = '';
    while (!signal.aborted) {
      try {
        const parts = await this.#open(await fetchChainStart(this.#rpc, configuration, signal));
        this.#alarms.clear('rpc-unavailable');
        return parts;
      } catch (error) {
        if (signal.aborted) return null;
        if (error instanceof NodeFault && !(begunAnew && doors.clock.now() - since < startOutageMs)) throw error;
        const sentence = messageOf(error);
        // Once for each cause: a log must not fill while nothing happens.
        if (sentence !== said) log.warn(`The chain ${error instanceof NodeFault ? 'is another one than before, and not ready' : 'does not answer'} yet, and is asked again every ${startRetryMs / 1_000} s: ${sentence}`);
        said = sentence;
        if (doors.clock.now() - since >= startOutageMs) this.#alarms.raise('rpc-unavailable', `The node cannot begin, since the chain does not answer: ${sentence}. Look at chain.rpc_url and at the connection.`);
        await doors.timers.sleep(startRetryMs, signal);
      }
    }
    return null;
  }

  async #open(start: ChainStart): Promise<NodeParts> {
    const { configuration, node, privateKey, doors, log } = this.#options;
    const { signal } = this.#stop;
    const state = await openState(this.#folder, { configuration, node, rpc: this.#rpc, log, clock: doors.clock }, start, signal);
    const record = new NodeRecord(this.#folder, state, doors.clock);
    await record.infos.open();
    const time = new ChainTime(doors.clock);
    time.see(start.head);
    this.record = record;
    const sender = watchSender(createSender({ configuration, node, privateKey, rpc: this.#rpc, doors, log, store: record }), this.#alarms, doors.clock);
    return { configuration, node, rpc: this.#rpc, sender, record, time, alarms: this.#alarms, collateral: unknownFreshness(), log, doors, signal, firstBlock: start.head.number };
  }
}
