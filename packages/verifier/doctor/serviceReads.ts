import { keccak256 } from '@vouch/chain/messages/keccak256';
import type { Hex } from '@vouch/chain/messages/operation';
import { ethCall } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';

/** What the contract says of a node. */
export interface NodeFacts {
  active: boolean;
  /** Reports that it missed since it entered. */
  missed: number;
  /** Zero: the node itself. */
  claimer: Hex;
  /** In 1/10000. */
  commissionRate: number;
  /** Seconds since 1970; 0: never. */
  lastModifyAt: number;
}

/** Numbers of the settings contract; durations in seconds. */
export interface ServiceRules {
  commissionInterval: number;
  maxActiveNodes: number;
  /** In 1/10000. */
  maxCommissionIncrease: number;
  maxMissedReports: number;
}

const pageLength = 500;

/**
 * Views of the service contract. Null where the contract has no such function or answers something else: a contract of
 * another make has fewer.
 */
export class ServiceReads {
  readonly #rpc: RpcClient;
  readonly #service: Hex;

  constructor(rpc: RpcClient, service: Hex) {
    this.#rpc = rpc;
    this.#service = service;
  }

  async domainHash(): Promise<Hex | null> {
    const [hash] = (await this.#words('eip712DomainHash()', [], 1)) ?? [];
    return hash === undefined ? null : `0x${hash}`;
  }

  /** How many licenses count for a node. */
  async weight(node: Hex): Promise<number | null> {
    const [weight] = (await this.#words('delegationWeights(address)', [node], 1)) ?? [];
    return weight === undefined ? null : integer(weight);
  }

  async node(node: Hex): Promise<NodeFacts | null> {
    const words = await this.#words('nodeInfos(address)', [node], 12);
    if (words === null) return null;
    const at = (place: number): string => words[place] ?? '';
    return { active: integer(at(2)) === 1, missed: integer(at(4)), claimer: address(at(9)), commissionRate: integer(at(10)), lastModifyAt: integer(at(11)) };
  }

  async rules(): Promise<ServiceRules | null> {
    const [settings] = (await this.#words('settings()', [], 1)) ?? [];
    const words = settings === undefined ? null : await this.#words('rules()', [], 10, address(settings));
    if (words === null) return null;
    const at = (place: number): number => integer(words[place] ?? '');
    return { commissionInterval: at(2), maxActiveNodes: at(5), maxCommissionIncrease: at(7), maxMissedReports: at(8) };
  }

  async activeCount(): Promise<number | null> {
    const [count] = (await this.#words('activeNodeCount()', [], 1)) ?? [];
    return count === undefined ? null : integer(count);
  }

  /** Weight of the lightest of `count` active nodes. */
  async lightestWeight(count: number): Promise<number | null> {
    let least: number | null = null;
    for (let offset = 0; offset < count; offset += pageLength) {
      const words = await this.#words('activeNodes(uint256,uint256)', [offset, pageLength], 2);
      if (words === null) return null;
      // Offset and length of the list, then node, id and weight of each.
      for (let place = 4; place < words.length; place += 3) least = Math.min(least ?? Infinity, integer(words[place] ?? ''));
    }
    return least;
  }

  async #words(signature: string, given: readonly (Hex | number)[], least: number, to = this.#service): Promise<string[] | null> {
    const selector = Buffer.from(keccak256(Buffer.from(signature)).subarray(0, 4)).toString('hex');
    const data: Hex = `0x${selector}${given.map((word) => (typeof word === 'number' ? word.toString(16) : word.slice(2)).padStart(64, '0')).join('')}`;
    try {
      const answer = await ethCall(this.#rpc, { to, data });
      const words = answer.slice(2).match(/.{64}/g) ?? [];
      return words.length < least ? null : words;
    } catch (error) {
      if (error instanceof RpcRefused) return null;
      throw error;
    }
  }
}

/** A number that fits one; larger ones become the largest. */
function integer(word: string): number {
  const value = BigInt(`0x${word}`);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}

function address(word: string): Hex {
  return `0x${word.slice(24).toLowerCase()}`;
}
