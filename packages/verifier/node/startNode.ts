import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { Connect } from '@vouch/chain/rpc/endpoint';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
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
import { describeDue } from '../state/describeDue.ts';
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
  /** Ethereum address of the private key, lower case. */
  node: Hex;
  system: SystemInterfaces;
  log: Logger;
  /** Whether the node leaves the active set before it stops; default false. */
  exitOnStop?: boolean;
  /** Opens the HTTP connections to RPC endpoints, gateway and collateral service; simulations replace the default, `openConnections`. */
  connect?: Connect;
}

/** How a node ended. `stopped`: stopped as asked; `left`: left the active set, then stopped; `stayed`: stopped, but could not leave the active set in time. */
interface NodeEnd {
  how: 'stopped' | 'left' | 'stayed';
}

export interface RunningNode {
  node: Hex;
  /** Folder of the node's state. */
  folder: string;
  /** A snapshot of the node's state; null until the chain has answered for the first time. */
  state(): NodeState | null;
  /** Whether the chain shows the node in the active set, as read since this start. */
  isActive(): boolean;
  /** Settles when the node has ended. Rejects with NodeFault when the node cannot work as configured. */
  done: Promise<NodeEnd>;
  /** Stops the node in order and saves its state, including pending reports. Resolves with `done`. */
  stop(): Promise<void>;
}

/** Delay between attempts to reach the chain at the start. */
const startRetryMs = 5_000;
/** Time without an answer at the start after which an alarm is raised. */
const startOutageMs = 120_000;

/**
 * Starts a node: locks the folder, loads the state, waits for the chain, then runs the lanes that watch the chain, judge
 * attestations, send reports and maintain the membership, all concurrently. One process may run many nodes.
 * @throws FolderBusy when another node uses the folder, FolderUnusable when the folder cannot be written
 * @example
 * const running = await startNode({ configuration, privateKey, node: address, system: systemInterfaces, log });
 * process.once('SIGTERM', () => void running.stop());
 * const { how } = await running.done;
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { configuration, node } = options;
  const { folder: chosen, other, note } = nodeFolder(configuration, node);
  const folder = resolve(chosen);
  const unlock = await takeFolder(folder, other);
  if (note !== null) options.log.warn(note);
  return runNode(options, folder, unlock);
}

/**
 * Runs a node in a folder that the caller has locked, as `startNode` does.
 * @param unlock called when the node has ended
 */
export function runNode(options: NodeOptions, folder: string, unlock: () => Promise<void>): RunningNode {
  const running = new NodeRun(options, folder);
  const done = running.run().finally(unlock);
  done.catch(() => {});
  return {
    node: options.node, folder, done,
    state: () => running.record?.snapshot() ?? null,
    isActive: () => running.record !== null && running.record.wasActive && running.record.membership.active,
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
    const { configuration: { chain, alertUrl }, node, system, log } = options;
    this.#options = options;
    this.#folder = folder;
    this.#rpc = createRpcClient({ urls: chain.rpcUrls, chainId: BigInt(chain.chainId) }, system, options.connect);
    this.#post = alertUrl === null ? null : new AlarmPost({ url: alertUrl, node, chainName: chain.chainName }, system, log, this.#stop.signal);
    this.#alarms = new Alarms(log, system.clock, (event) => this.#post?.post(event));
  }

  stop(): void {
    this.#stop.abort(new Error('the node is to stop'));
  }

  async run(): Promise<NodeEnd> {
    const { log, node, configuration, exitOnStop = false } = this.#options;
    try {
      let parts = await this.#waitForChain(false);
      while (parts !== null) {
        log.info({ folder: this.#folder, block: parts.record.last.block }, `Node ${showAddress(node)} on ${configuration.chain.chainName} starts after block ${parts.record.last.block}.`);
        await this.#work(parts);
        if (this.#stop.signal.aborted) {
          if (exitOnStop) this.#warnOfDue(parts);
          const how = exitOnStop ? await leaveActiveSet(parts) : 'stopped';
          if (how === 'left') parts.record.setMembership({ active: false, activeSince: null, readAt: this.#options.system.clock.now() });
          await this.#saveAtEnd(parts);
          log.info('The node has stopped.');
          return { how };
        }
        await this.#saveAtEnd(parts);
        // The alarms were about a chain that no longer exists.
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

  /** Runs all lanes until the node is asked to stop or the endpoint serves a chain with another first block. */
  async #work(parts: NodeParts): Promise<void> {
    const other = new AbortController();
    const working = { ...parts, signal: AbortSignal.any([this.#stop.signal, other.signal]) };
    const health = await serveHealth(working);
    const lanes = [new ChainWatch(working), new JudgingLane(working), new ReportingLane(working), new MembershipLane(working, this.#folder), new DaysLane(working), new RandomnessLane(working), new CollateralLane(working, this.#folder)];
    await Promise.all(lanes.map((lane) => this.#keepGoing(lane, working.signal, () => other.abort(new Error('the chain is another one')))));
    await health?.close();
  }

  #warnOfDue({ record, time }: NodeParts): void {
    const due = describeDue(record.all(), time.now());
    if (due !== null) this.#options.log.warn(`${due}: a report that is not sent counts as missed, unless the node starts again in time.`);
  }

  async #saveAtEnd({ record }: NodeParts): Promise<void> {
    await record.save(true).catch((error: unknown) => this.#options.log.error({ fault: messageOf(error) }, 'The state could not be saved at shutdown.'));
  }

  /** Restarts a lane after an unexpected error, so that the error ends neither that lane nor the other lanes. */
  async #keepGoing(lane: { run(): Promise<void> }, signal: AbortSignal, endAll: () => void): Promise<void> {
    const { system, log } = this.#options;
    while (!signal.aborted) {
      try {
        await lane.run();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof OtherChain) return endAll();
        log.error(`Unexpected error, retrying in ${startRetryMs / 1_000} s: ${messageOf(error)}. Please report this error.`);
        await system.timers.sleep(startRetryMs, signal);
      }
    }
  }

  /**
   * @returns null when the node is stopped before the chain answers
   * @param begunAnew whether the chain was restarted from its first block; its contracts then get time to be deployed
   */
  async #waitForChain(begunAnew: boolean): Promise<NodeParts | null> {
    const { configuration, system, log } = this.#options;
    const { signal } = this.#stop;
    const since = system.elapsedMs();
    let said = '';
    while (!signal.aborted) {
      try {
        const parts = await this.#open(await fetchChainStart(this.#rpc, configuration, signal));
        this.#alarms.clear('rpc-unavailable');
        return parts;
      } catch (error) {
        if (signal.aborted) return null;
        if (error instanceof NodeFault && !(begunAnew && system.elapsedMs() - since < startOutageMs)) throw error;
        const sentence = messageOf(error);
        // Logged once per cause, so that a long outage does not fill the log.
        if (sentence !== said) log.warn(`The chain ${error instanceof NodeFault ? 'was reset and is not ready yet' : 'does not answer yet'}; retrying every ${startRetryMs / 1_000} s: ${sentence}`);
        said = sentence;
        if (system.elapsedMs() - since >= startOutageMs) this.#alarms.raise('rpc-unavailable', `The node cannot start, because the chain does not answer: ${sentence}. Check chain.rpc_url and the network connection.`);
        await system.timers.sleep(startRetryMs, signal);
      }
    }
    return null;
  }

  async #open(start: ChainStart): Promise<NodeParts> {
    const { configuration, node, privateKey, system, log, connect } = this.#options;
    const { signal } = this.#stop;
    const state = await openState(this.#folder, { configuration, node, rpc: this.#rpc, log, clock: system.clock }, start, signal);
    const record = new NodeRecord(this.#folder, state, system);
    await record.infos.open();
    const time = new ChainTime(system);
    time.see(start.head);
    this.record = record;
    const sender = watchSender(createSender({ configuration, node, privateKey, rpc: this.#rpc, system, log, store: record, connect }), this.#alarms, system.clock);
    return { configuration, node, rpc: this.#rpc, connect, sender, record, time, alarms: this.#alarms, collateral: unknownFreshness(), log, system, signal, firstBlock: start.head.number };
  }
}
