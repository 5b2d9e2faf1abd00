import { keccak256 } from '@vouch/chain/messages/keccak256';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { readInteger } from '@vouch/chain/rpc/readResult';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import type { Clock } from '@vouch/platform/process/doors';
import { toHex } from '../../requests/storedOperation.ts';
import { unavailable, type ChainReader } from './chainReader.ts';
import { views, Words } from './views.ts';

/** Reads of one sweep in a request. */
const readsAtOnce = 500;
/** A sweep ends after so many numbers without a license: where licenses count only once they are delegated, numbers are left out. */
const maxGap = 5_000;
/** Blocks that are looked at again, since they may have been replaced or come late to an endpoint. */
const blocksAgain = 32;
/** Further behind than this a sweep is the shorter way. */
const maxBlocksBehind = 50_000;
const blocksAtOnce = 2_000;
/** A sweep takes at most a twentieth of the time, and begins at most this often. */
const sweepEveryMs = 5_000;
const sweepShare = 20;

const topics: readonly Hex[] = ['Delegate(uint256,address)', 'Redelegate(uint256,address)', 'Undelegate(uint256,address)', 'Transfer(address,address,uint256)']
  .map((signature) => toHex(keccak256(new TextEncoder().encode(signature))));

/**
 * Which licenses count for which node. The contracts tell the node of a license and not the licenses of a node, so this is kept in
 * memory: from a sweep over all licenses, then from the events of delegations and transfers. What an event says is only a hint at
 * which license to read; what is answered was read from the contract after it.
 */
export class LicenseIndex {
  readonly #reader: ChainReader;
  readonly #rpc: RpcClient;
  readonly #contract: Hex;
  readonly #clock: Clock;
  readonly #nodes = new Map<number, Hex>();
  readonly #licenses = new Map<Hex, Set<number>>();
  /** The newest block whose events are in; null before the first sweep. */
  #block: number | null = null;
  #nextSweepMs = -Infinity;
  /** The license contract, whose transfers are followed as well; null where the service does not name it. */
  #license: Hex | null = null;
  #following: Promise<boolean> | null = null;
  #sweeping: Promise<boolean> | null = null;
  /** Until then, by the clock, the contract counts as one that does not tell the node of a license: an endpoint may only have been behind. */
  #silentUntilMs = -Infinity;

  constructor(reader: ChainReader, rpc: RpcClient, contract: Hex, clock: Clock) {
    this.#reader = reader;
    this.#rpc = rpc;
    this.#contract = contract;
    this.#clock = clock;
  }

  /**
   * A license that counts for the node now.
   * @param rank puts licenses into the order in which they are to be tried, leaving out what is not worth it
   * @returns null where the contract does not tell; `unknown` where it has one that cannot be found
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
    throw unavailable('Which license counts for the signer is not known yet.');
  }

  #isSilent(): boolean {
    return this.#clock.now() < this.#silentUntilMs;
  }

  async #countsFor(license: number, node: Hex): Promise<boolean> {
    const now = await this.#reader.read(this.#contract, views.delegation(license));
    this.#point(license, now);
    return now === node;
  }

  /** Reads what events name since the last time; whoever comes meanwhile waits for the same. @returns whether it took a sweep */
  #catchUp(): Promise<boolean> {
    this.#following ??= this.#followEvents().finally(() => { this.#following = null; });
    return this.#following;
  }

  async #followEvents(): Promise<boolean> {
    const head = await this.#rpc.ask('eth_blockNumber', [], readInteger).catch(() => null);
    if (this.#block === null || head === null || head - this.#block > maxBlocksBehind) return this.#sweep();
    if (head <= this.#block) return false;
    const moved = new Set<number>();
    try {
      const address = this.#license === null ? this.#contract : [this.#contract, this.#license];
      const fromBlock = Math.max(0, this.#block - blocksAgain);
      for await (const { logs } of scanLogs(this.#rpc, { address, topics: [topics], fromBlock, toBlock: head, blocksMax: blocksAtOnce })) {
        for (const { topics: [, , , indexed], data } of logs) moved.add(new Words(indexed ?? data).number(0));
      }
    } catch {
      return this.#sweep();
    }
    await this.#readNodes([...moved]);
    this.#block = head;
    return false;
  }

  /** Reads the node of every license. @returns false where the last time is too short ago */
  #sweep(): Promise<boolean> {
    this.#sweeping ??= this.#readAll().finally(() => { this.#sweeping = null; });
    return this.#sweeping;
  }

  async #readAll(): Promise<boolean> {
    const begun = this.#clock.now();
    if (begun < this.#nextSweepMs) return false;
    const { number: head } = await this.#reader.head();
    this.#license = await this.#reader.tryRead(this.#contract, views.license());
    if (await this.#reader.tryRead(this.#contract, views.delegation(1)) === null) {
      if (this.#block !== null) throw unavailable('Which license counts for which node is not told, although it was before.');
      this.#silentUntilMs = this.#clock.now() + sweepEveryMs;
      return true;
    }
    let newest = 0;
    for (let from = 1; from - newest <= maxGap; from += readsAtOnce) {
      newest = Math.max(newest, await this.#readNodes(Array.from({ length: readsAtOnce }, (_, at) => from + at)));
    }
    this.#block = head;
    const took = this.#clock.now() - begun;
    this.#nextSweepMs = begun + Math.max(sweepEveryMs, took * sweepShare);
    return true;
  }

  /** @returns the largest of the numbers that is a license of some node; 0 where none is */
  async #readNodes(licenses: readonly number[]): Promise<number> {
    let newest = 0;
    for (let at = 0; at < licenses.length; at += readsAtOnce) {
      const asked = licenses.slice(at, at + readsAtOnce);
      const outcomes = await this.#reader.ask(asked.map((license) => ({
        method: 'eth_call', params: [{ to: this.#contract, data: views.delegation(license).data }, 'latest'],
      })));
      asked.forEach((license, place) => {
        const outcome = outcomes[place];
        if (outcome?.ok !== true || typeof outcome.result !== 'string') throw unavailable('Which license counts for which node cannot be read.');
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
  /** A node without licenses has no entry: licenses may pass through any number of addresses. */
  #remove(license: number, node: Hex): void {
    const licenses = this.#licenses.get(node);
    licenses?.delete(license);
    if (licenses?.size === 0) this.#licenses.delete(node);
  }
}
