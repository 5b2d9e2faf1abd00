import { answerOf, callOf, serviceViews, type NodeRecord as ServiceNode } from '@vouch/chain/contracts/service/views';
import { BlockRange } from '@vouch/chain/rpc/blockRange';
import { parseBlock, type Block } from '@vouch/chain/rpc/chainReads';
import { parseNullable, parseQuantity } from '@vouch/chain/rpc/parseResult';
import type { RpcCall, RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import { messageOf } from '../logging/messageOf.ts';
import { noteMembership } from '../membership/noteMembership.ts';
import { maxSkew } from '../context/chainTime.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import { checkReports } from '../reporting/checkReports.ts';
import { applyLogs, eventFilter } from './applyLogs.ts';
import { findFork } from './findFork.ts';
import { isOtherChain, fetchFirstBlock } from './firstBlock.ts';

/** How long to wait for an endpoint that is behind the newest block already seen. */
const behindMs = 30_000;
/** Time without an answer of the chain after which an alarm is raised. */
const outageMs = 120_000;
/** After a downtime, only this many blocks (or chain.offset_block, if larger) are scanned: the deadlines of older attestations have passed. */
const catchUpBlocks = 14_400;
/** Scans per block: one minute with the default interval. Behind a load balancer, an endpoint may return a block before another has its events. */
const looksAgain = 12;
/** Maximum number of blocks that are scanned again, even if this takes several queries. An endpoint has the events of older blocks. */
const againBlocks = 500;

/** Thrown if the chain's first block differs from the record's: the record belongs to a chain that no longer exists. */
export class OtherChain extends Error {
  override readonly name = 'OtherChain';
}

/** Scans the chain at an interval until the node stops. Errors are logged, and the next scan tries again. */
export class ChainWatch {
  readonly #parts: NodeParts;
  /** When the chain last answered, and when a scan last completed. */
  #lastGoodMs: number;
  #lastWholeMs: number;
  #failing = false;
  #behindSince: number | null = null;
  #restarted = true;
  /** Last blocks of the latest scans, oldest first. A checkpoint of an earlier run is taken for a scan, although a scan in several queries makes several. */
  #scannedTo: number[];
  readonly #range: BlockRange;
  /** Next block of a scan that failed halfway; null after a complete scan. Otherwise an endpoint that fails now and then would end every scan before its new blocks. */
  #resumeFrom: number | null = null;
  /** If set, choices in later blocks may belong to an abandoned branch, until the scan has seen these blocks again. */
  #unsureFrom: number | null = null;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.#lastGoodMs = parts.system.clock.now();
    this.#lastWholeMs = parts.system.elapsedMs();
    // The scans of an earlier run count too: its newest blocks may still lack their events.
    this.#scannedTo = parts.record.checkpoints.slice(-looksAgain).map(({ block }) => block);
    this.#range = new BlockRange(parts.configuration.chain.maxBlockPerQuery);
  }

  /** @throws OtherChain */
  async run(): Promise<void> {
    const { system, signal, configuration } = this.#parts;
    while (!signal.aborted) {
      await this.#tryLook();
      await system.timers.sleep(configuration.chain.queryIntervalSeconds * 1_000, signal);
    }
  }

  async #tryLook(): Promise<void> {
    const { alarms, system, log, signal } = this.#parts;
    try {
      await this.#look();
      this.#lastWholeMs = system.elapsedMs();
      alarms.clear('rpc-unavailable');
      if (this.#failing) log.info('The chain can be read again.');
      this.#failing = false;
      await this.#save();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OtherChain) throw error;
      const sentence = messageOf(error);
      const silent = system.elapsedMs() - this.#lastWholeMs;
      // Logged once per outage, so that a long outage does not fill the log.
      log[this.#failing ? 'debug' : 'warn'](`The chain cannot be read: ${sentence}`);
      this.#failing = true;
      if (silent >= outageMs) alarms.raise('rpc-unavailable', `The chain has not been read for ${Math.round(silent / 60_000)} minutes: ${sentence}. Check chain.rpc_url and the network connection.`);
      await this.#save();
    }
  }

  async #save(): Promise<void> {
    const { record, alarms, log } = this.#parts;
    if (JSON.stringify(record.alarms) !== JSON.stringify(alarms.standing)) record.setAlarms(alarms.standing);
    try {
      await record.save();
      alarms.clear('state-unwritable');
    } catch (error) {
      log.debug({ fault: messageOf(error) }, 'the state was not written');
      alarms.raise('state-unwritable', `The state of the node cannot be written to its folder (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure'}): check the disk. After a restart, the node would process some blocks again.`);
    }
  }

  async #look(): Promise<void> {
    const { record, time, system } = this.#parts;
    const seen = await this.#fetchHead();
    if (seen === null) return;
    const { head, atCheckpoint, info, weight } = seen;
    const started = system.clock.now();
    this.#noteOnline(started);
    record.note({ chainSeenAt: started });
    // An endpoint that is behind returns an outdated state of the node and its reports.
    if (!(await this.#isOnChain(head, atCheckpoint))) return;
    time.see(head);
    this.#compareClocks();
    noteMembership(this.#parts, info, weight);
    await this.#scan(head);
    await checkReports(this.#parts, head);
  }

  #compareClocks(): void {
    const { time: { skew }, alarms } = this.#parts;
    if (Math.abs(skew) <= maxSkew) return alarms.clear('clock-skew');
    alarms.raise('clock-skew', `This machine's clock is ${Math.round(Math.abs(skew) / 60)} minutes ${skew > 0 ? 'ahead of' : 'behind'} the chain's. The node judges attestations by the chain's time until the two agree: set the clock, or check whether the RPC endpoint is behind.`);
  }

  /** @returns null when the endpoint serves another chain; the alarm has been raised then */
  async #fetchHead(): Promise<Seen | null> {
    const { rpc, signal, record, configuration: { chain, contract }, node, alarms } = this.#parts;
    const views = { node: serviceViews.node(contract.service, node), weight: serviceViews.weight(contract.service, node) };
    const [id, head, checkpoint, info, weight] = await rpc.batch([
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      blockCall(record.last.block),
      callOf(views.node), callOf(views.weight),
    ], signal).catch((error: unknown) => {
      this.#nameOtherChain();
      throw error;
    });
    const served = parseQuantity(resultOf(id));
    if (served !== BigInt(chain.chainId)) {
      // The client reads the chain id once per minute, and asks the other endpoints from then on.
      this.#raiseOtherChain('An RPC endpoint', served);
      return null;
    }
    if (!this.#nameOtherChain()) alarms.clear('wrong-chain');
    const block = parseNullable(parseBlock)(resultOf(head));
    if (block === null) throw new Error('the RPC endpoint has no newest block');
    const atCheckpoint = parseNullable(parseBlock)(resultOf(checkpoint));
    // Checked before any other answer is used, and only in this case, because the check costs a call.
    if (atCheckpoint?.hash !== record.last.hash) await this.#compareFirstBlock();
    return { head: block, atCheckpoint, info: answerOf(views.node, info), weight: answerOf(views.weight, weight) };
  }

  /** Raises the alarm for an endpoint of another chain, also while the node works with another endpoint. @returns whether there is one */
  #nameOtherChain(): boolean {
    const other = this.#parts.rpc.endpoints().find(({ otherChain }) => otherChain !== null);
    if (other?.otherChain == null) return false;
    this.#raiseOtherChain(`RPC endpoint ${other.host}`, other.otherChain);
    return true;
  }

  #raiseOtherChain(which: string, served: bigint): void {
    const { alarms, configuration: { chain } } = this.#parts;
    alarms.raise('wrong-chain', `${which} serves chain ${served}, but chain.chain_id is ${chain.chainId}: remove the endpoint from chain.rpc_url. The node ignores its answers.`);
  }

  /** Tells a restarted local chain from a reorganized chain; both replace blocks. @throws OtherChain */
  async #compareFirstBlock(): Promise<void> {
    const { record, rpc, signal } = this.#parts;
    if (isOtherChain(record.genesis, await fetchFirstBlock(rpc, signal))) throw new OtherChain('the first block of the chain differs from the recorded one');
  }

  /** Whether the last scanned block is still on the chain. After a reorganization, first rewinds the record to the fork. */
  async #isOnChain(head: Block, atCheckpoint: Block | null): Promise<boolean> {
    const { record, rpc, signal, log, system } = this.#parts;
    if (atCheckpoint?.hash === record.last.hash) {
      this.#behindSince = null;
      return true;
    }
    if (atCheckpoint === null) {
      // Most likely, this endpoint has fewer blocks than the endpoint that answered before. Rewinding too early would only repeat scans.
      this.#behindSince ??= system.elapsedMs();
      if (system.elapsedMs() - this.#behindSince < behindMs) return false;
    }
    const from = record.last.block;
    const good = await findFork(rpc, record.checkpoints, head.number, signal);
    // The endpoint may have switched to another chain during this scan; blocks of that chain must not enter the record.
    await this.#compareFirstBlock();
    record.rewind(good);
    const fork = record.last.block;
    // Earlier scans did not see the blocks of the new branch.
    this.#scannedTo = this.#scannedTo.map((block) => Math.min(block, fork));
    if (atCheckpoint !== null) {
      this.#forgetChoices(fork, Infinity);
      log.warn({ from, to: fork }, 'The chain was reorganized; the node processes the new blocks.');
    } else {
      // The same nodes may be chosen again on the new branch; later blocks decide.
      this.#unsureFrom = Math.min(fork, this.#unsureFrom ?? fork);
      log.warn({ from, to: fork, newest: head.number }, 'The newest block is older than the last processed block: the chain was reorganized, or the endpoint is behind. The node processes the new blocks.');
    }
    this.#behindSince = null;
    return true;
  }

  /** Undoes choices of the abandoned branch; the new branch's blocks are applied afterwards. */
  #forgetChoices(fork: number, upTo: number): void {
    const { record, alarms } = this.#parts;
    for (const attestation of record.all()) {
      const { chosenBlock, state } = attestation;
      // A missed report stays missed unless nodes are chosen anew for its attestation.
      if (chosenBlock === null || chosenBlock <= fork || chosenBlock > upTo || state === 'missed' || state === 'withheld') continue;
      record.change(attestation, { chosenIndex: null, chosenBlock: null, deadline: null, halfTime: null, state: 'announced' });
      alarms.clear('report-late', attestation.attestationId);
    }
  }

  async #scan(head: Block): Promise<void> {
    const { record, rpc, signal } = this.#parts;
    if (head.number <= record.last.block && !this.#restarted) return;
    const fromBlock = this.#firstBlockToScan(head);
    for await (const { fromBlock: first, toBlock, logs } of scanLogs(rpc, { ...eventFilter(this.#parts), fromBlock, toBlock: head.number, range: this.#range, signal })) {
      if (this.#unsureFrom !== null) this.#forgetChoices(Math.max(this.#unsureFrom, first - 1), toBlock);
      await applyLogs(this.#parts, logs);
      if (toBlock > record.last.block) {
        const end = toBlock === head.number ? head : await this.#fetchAfterLast(toBlock);
        if (end === null) return;
        record.advance({ block: end.number, hash: end.hash });
      }
      this.#resumeFrom = toBlock + 1;
    }
    [this.#restarted, this.#resumeFrom] = [false, null];
    this.#scannedTo = [...this.#scannedTo, head.number].slice(-looksAgain);
    if (this.#unsureFrom !== null) this.#unsureFrom = [...record.all()].some(({ chosenBlock }) => (chosenBlock ?? 0) > head.number) ? head.number : null;
  }

  /**
   * Fetches a block after the last scanned block. Both blocks are fetched in one batch: an endpoint may switch to another chain during a scan,
   * and once a hash of that chain is recorded, later scans would take that chain for the right one.
   * @returns null when the endpoint lacks one of the two; the next scan finds the cause
   */
  async #fetchAfterLast(number: number): Promise<Block | null> {
    const { record: { last }, rpc, signal } = this.#parts;
    const [before, after] = await rpc.batch([blockCall(last.block), blockCall(number)], signal);
    return parseNullable(parseBlock)(resultOf(before))?.hash === last.hash ? parseNullable(parseBlock)(resultOf(after)) : null;
  }

  /** First block of this scan. Blocks are scanned repeatedly, because an endpoint may return a block before the block's events. */
  #firstBlockToScan(head: Block): number {
    const { record, configuration: { chain }, log } = this.#parts;
    if (this.#resumeFrom !== null) return Math.min(this.#resumeFrom, record.last.block + 1);
    const oldest = head.number - Math.max(chain.offsetBlock, catchUpBlocks);
    if (this.#restarted && record.last.block < oldest) {
      log.warn({ from: record.last.block + 1, to: oldest - 1 }, 'The node was stopped for so long that it skips these blocks: the deadlines of their attestations have passed.');
      return Math.max(chain.startBlock, oldest);
    }
    const limit = Math.max(chain.startBlock, record.last.block - Math.max(chain.maxBlockPerQuery, againBlocks));
    if (this.#restarted) return Math.max(limit, Math.min((record.checkpoints[0] ?? record.last).block, record.last.block) + 1);
    const behind = (scans: number): number => Math.min(this.#scannedTo.at(-scans) ?? this.#scannedTo[0]!, record.last.block) + 1;
    // At least twice; more often while all of the blocks fit into one query.
    return Math.max(limit, Math.min(behind(2), Math.max(behind(looksAgain), head.number - this.#range.blocks + 1)));
  }

  /** Adds the time since the last scan to the online time; time in which the machine slept does not count. */
  #noteOnline(now: number): void {
    const { record, configuration: { chain }, log } = this.#parts;
    const passed = now - this.#lastGoodMs;
    const longest = (3 * chain.queryIntervalSeconds + 30) * 1_000;
    if (passed > 4 * longest) log.warn(`The chain could not be reached for ${Math.round(passed / 1_000)} s (this machine was suspended, or the connection was lost); continuing.`);
    if (record.membership.active && passed > 0) record.addOnline(Math.min(passed, longest) / 1_000);
    this.#lastGoodMs = now;
  }
}

/** Answers at the start of a scan. */
interface Seen {
  head: Block;
  /** The block at the height of the last scanned block; null when the endpoint has no such block. */
  atCheckpoint: Block | null;
  info: ServiceNode;
  weight: number;
}

function blockCall(number: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [`0x${number.toString(16)}`, false] };
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
  if (outcome === undefined) throw new Error('an answer is missing');
  if (!outcome.ok) throw outcome.error;
  return outcome.result;
}
