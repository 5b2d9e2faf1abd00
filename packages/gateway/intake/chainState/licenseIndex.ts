import { keccak256 } from '@vouch/chain/messages/keccak256';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { BlockRange } from '@vouch/chain/rpc/blockRange';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { parseInteger } from '@vouch/chain/rpc/parseResult';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { toHex } from '../../requests/storedOperation.ts';
import { unavailable, type ChainReader } from './chainReader.ts';
import { views, Words } from './views.ts';

/** Number of reads in one request of a full scan. */
const readsAtOnce = 500;
/** A full scan stops after this many consecutive ids without a node: undelegated licenses leave gaps in the ids. */
const maxGap = 5_000;
/** Number of blocks whose events are read again, because a reorg can replace them and an endpoint can deliver events late. */
const blocksAgain = 32;
/** If the index is further behind than this many blocks, a full scan is cheaper than reading events. */
const maxBlocksBehind = 50_000;
const blocksAtOnce = 2_000;
/** Minimum interval in ms between full scans; `sweepShare` further limits scans to 1/20 of the time. */
const sweepEveryMs = 5_000;
const sweepShare = 20;

const topics: readonly Hex[] = ['Delegate(uint256,address)', 'Redelegate(uint256,address)', 'Undelegate(uint256,address)', 'Transfer(address,address,uint256)']
  .map((signature) => toHex(keccak256(new TextEncoder().encode(signature))));

/**
 * Maps nodes to the licenses that count for them. The contract maps a license to its node but not a node to its licenses, so the
 * index is kept in memory: a full scan fills it, and events of delegations and transfers update it. An event only names a license
 * to
 * read; every result is confirmed by a read of the contract.
 */
export class LicenseIndex {
  readonly #reader: ChainReader;
  readonly #rpc: RpcClient;
  readonly #contract: Hex;
  readonly #system: Pick<SystemInterfaces, 'elapsedMs'>;
  readonly #range = new BlockRange(blocksAtOnce);
  readonly #nodes = new Map<number, Hex>();
  readonly #licenses = new Map<Hex, Set<number>>();
  /** The newest block whose events were read; null before the first scan. */
  #block: number | null = null;
  #nextSweepMs = -Infinity;
  /** The license contract, whose transfer events are read too; null if the service contract has no view of its address. */
  #license: Hex | null = null;
  #following: Promise<boolean> | null = null;
  #sweeping: Promise<boolean> | null = null;
  /**
   * Until this time, by `elapsedMs`, the contract is treated as unable to map licenses to nodes. The time is limited, because a lagging
   * endpoint has the same effect.
   */
  #silentUntilMs = -Infinity;

  constructor(reader: ChainReader, rpc: RpcClient, contract: Hex, system: Pick<SystemInterfaces, 'elapsedMs'>) {
    this.#reader = reader;
    this.#rpc = rpc;
    this.#contract = contract;
    this.#system = system;
  }

  /** Fills the index. Never rejects: after a failure, the first `find` tries again. */
  async prepare(): Promise<void> {
    await this.#catchUp().catch(() => {});
  }

  /**
   * Finds a license that counts for the node now.
   * @param rank sorts candidate licenses in the order to try them; may omit candidates
   * @returns the license id; null if the contract does not map licenses to nodes; `unknown` if a complete scan found no license
   * @throws Problem `chain-unavailable`
   */
  async find(node: Hex, rank: (licenses: readonly number[]) => Promise<readonly number[]>): Promise<string | null> {
    if (this.#isSilent()) return null;
    let swept = false;
    for (const look of [async () => {}, async () => { swept = await this.#catchUp(); }, async () => { swept ||= await this.#sweep(); }]) {
      await look();
      if (this.#isSilent()) return null;
      const known = this.#licenses.get(node);
      if (known === undefined) continue;
      for (const license of await rank([...known])) {
        if (await this.#countsFor(license, node)) return String(license);
      }
    }
    if (swept) return 'unknown';
    throw unavailable('The gateway has not yet read which license backs the signer.');
  }

  #isSilent(): boolean {
    return this.#system.elapsedMs() < this.#silentUntilMs;
  }

  async #countsFor(license: number, node: Hex): Promise<boolean> {
    const now = await this.#reader.read(this.#contract, views.delegation(license));
    this.#point(license, now);
    return now === node;
  }

  /**
   * Reads the licenses named by new events; concurrent callers share one read.
   * @returns whether a full scan ran
   */
  #catchUp(): Promise<boolean> {
    this.#following ??= this.#followEvents().finally(() => { this.#following = null; });
    return this.#following;
  }

  async #followEvents(): Promise<boolean> {
    const head = await this.#rpc.ask('eth_blockNumber', [], parseInteger).catch(() => null);
    if (this.#block === null || head === null || head - this.#block > maxBlocksBehind) return this.#sweep();
    if (head <= this.#block) return false;
    const moved = new Set<number>();
    try {
      const address = this.#license === null ? this.#contract : [this.#contract, this.#license];
      const fromBlock = Math.max(0, this.#block - blocksAgain);
      for await (const { logs } of scanLogs(this.#rpc, { address, topics: [topics], fromBlock, toBlock: head, range: this.#range })) {
        for (const { topics: [, , , indexed], data } of logs) moved.add(new Words(indexed ?? data).number(0));
      }
    } catch {
      return this.#sweep();
    }
    await this.#fetchNodes([...moved]);
    this.#block = head;
    return false;
  }

  /**
   * Reads the node of every license; concurrent callers share one scan.
   * @returns false if the previous scan was too recent
   */
  #sweep(): Promise<boolean> {
    this.#sweeping ??= this.#fetchAll().finally(() => { this.#sweeping = null; });
    return this.#sweeping;
  }

  async #fetchAll(): Promise<boolean> {
    const begun = this.#system.elapsedMs();
    if (begun < this.#nextSweepMs) return false;
    const { number: head } = await this.#reader.head();
    this.#license = await this.#reader.tryRead(this.#contract, views.license());
    if (await this.#reader.tryRead(this.#contract, views.delegation(1)) === null) {
      if (this.#block !== null) throw unavailable('The contract no longer returns which license backs which node.');
      this.#silentUntilMs = this.#system.elapsedMs() + sweepEveryMs;
      return true;
    }
    let newest = 0;
    for (let from = 1; from - newest <= maxGap; from += readsAtOnce) {
      newest = Math.max(newest, await this.#fetchNodes(Array.from({ length: readsAtOnce }, (_, at) => from + at)));
    }
    this.#block = head;
    const took = this.#system.elapsedMs() - begun;
    this.#nextSweepMs = begun + Math.max(sweepEveryMs, took * sweepShare);
    return true;
  }

  /**
   * Reads the node of each license and updates the index.
   * @returns the highest id that has a node; 0 if none has one
   */
  async #fetchNodes(licenses: readonly number[]): Promise<number> {
    let newest = 0;
    for (let at = 0; at < licenses.length; at += readsAtOnce) {
      const asked = licenses.slice(at, at + readsAtOnce);
      const outcomes = await this.#reader.ask(asked.map((license) => ({
        method: 'eth_call', params: [{ to: this.#contract, data: views.delegation(license).data }, 'latest'],
      })));
      asked.forEach((license, place) => {
        const outcome = outcomes[place];
        if (outcome?.ok !== true || typeof outcome.result !== 'string') throw unavailable('The licenses of the nodes cannot be read.');
        const node = outcome.result === '0x' ? zeroAddress : new Words(outcome.result).address(0);
        this.#point(license, node);
        if (node !== zeroAddress) newest = Math.max(newest, license);
      });
    }
    return newest;
  }

  #point(license: number, node: Hex): void {
    const before = this.#nodes.get(license);
    if (before === node) return;
    if (before !== undefined) this.#remove(license, before);
    if (node === zeroAddress) {
      this.#nodes.delete(license);
      return;
    }
    this.#nodes.set(license, node);
    const licenses = this.#licenses.get(node) ?? new Set();
    this.#licenses.set(node, licenses.add(license));
  }
  /**
   * Removes a license from a node, and the node itself after its last license, so that transferred licenses do not leave
   * empty entries.
   */
  #remove(license: number, node: Hex): void {
    const licenses = this.#licenses.get(node);
    licenses?.delete(license);
    if (licenses?.size === 0) this.#licenses.delete(node);
  }
}
