import { serviceViews, tryReadView, type CommissionRules, type MembershipRules, type NodeRecord, type View } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';

const pageLength = 500;

/** Reads the service contract. Each method returns null when the contract lacks the function or answers in another form; other implementations have fewer functions. */
export class ServiceContract {
  readonly #rpc: RpcClient;
  readonly #service: Hex;

  constructor(rpc: RpcClient, service: Hex) {
    this.#rpc = rpc;
    this.#service = service;
  }

  domainHash(): Promise<Hex | null> {
    return this.#call(serviceViews.domainHash(this.#service));
  }

  /** Number of licenses that count for a node. */
  weight(node: Hex): Promise<number | null> {
    return this.#call(serviceViews.weight(this.#service, node));
  }

  node(node: Hex): Promise<NodeRecord | null> {
    return this.#call(serviceViews.node(this.#service, node));
  }

  async rules(): Promise<(CommissionRules & MembershipRules) | null> {
    const settings = await this.#call(serviceViews.settings(this.#service));
    if (settings === null) return null;
    const [commission, membership] = await Promise.all([this.#call(serviceViews.commissionRules(settings)), this.#call(serviceViews.membershipRules(settings))]);
    return commission === null || membership === null ? null : { ...commission, ...membership };
  }

  activeCount(): Promise<number | null> {
    return this.#call(serviceViews.activeCount(this.#service));
  }

  /** Smallest weight among the first `count` active nodes. */
  async lightestWeight(count: number): Promise<number | null> {
    let least: number | null = null;
    for (let offset = 0; offset < count; offset += pageLength) {
      const page = await this.#call(serviceViews.activeNodes(this.#service, offset, pageLength));
      if (page === null) return null;
      for (const { weight } of page) least = Math.min(least ?? weight, weight);
    }
    return least;
  }

  /** Total weight of the active nodes except one; null when the contract does not list its nodes. */
  async weightOfOthers(node: Hex): Promise<bigint | null> {
    let sum = 0n;
    for (let offset = 0; ; offset += pageLength) {
      const page = await this.#call(serviceViews.activeNodes(this.#service, offset, pageLength));
      if (page === null) return null;
      for (const each of page) if (each.node !== node) sum += BigInt(each.weight);
      if (page.length < pageLength) return sum;
    }
  }

  #call<Value>(view: View<Value>): Promise<Value | null> {
    return tryReadView(this.#rpc, view);
  }
}
