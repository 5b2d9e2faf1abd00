import type { Hex } from '@vouch/chain/messages/operation';
import type { Clock, Timers } from '@vouch/platform/process/doors';
import { unavailable, type ChainReader } from './chainReader.ts';
import { openDeployment, type Deployment, type NamedChain } from './openDeployment.ts';
import { views, type ActiveNode, type AttestationState, type NodeState, type Rules } from './views.ts';

/** Limits of a contract that does not tell them. */
export const usualRules: Rules = { maxExpiry: 6 * 3_600, commissionInterval: 7 * 86_400, maxActiveNodes: 2_000, maxCommissionIncrease: 500 };

/** How long it is taken for granted that the endpoints still serve the same chain. */
const reportedMs = 60_000;
/** Attestations and chosen places never change once there; the oldest are forgotten above this many. */
const maxKept = 50_000;
/** A chosen list is searched up to this place where the contract does not give it whole. */
const maxChosen = 200;
const activePage = 500;
/** A scrape of metrics waits no longer for one chain, beside which it tells of others. */
const nameMs = 2_000;

/** The contract as the gateway sees it: state by RPC, in bulk, kept per block or for life. */
export class GatewayChain {
  readonly chainId: bigint;
  readonly contract: Hex;
  readonly reader: ChainReader;
  readonly #domain: Hex;
  readonly #clock: Clock;
  #deployment: { at: number; value: Promise<Deployment> } | null = null;
  /** The last one that was found; repeats are answered by it while the chain is away. */
  #lastName: string | null = null;
  readonly #attestations = new Map<Hex, AttestationState>();
  readonly #chosen = new Map<number, number[]>();
  readonly #places = new Map<string, number>();

  constructor(reader: ChainReader, named: NamedChain, clock: Clock) {
    this.reader = reader;
    this.chainId = named.chainId;
    this.contract = named.contract;
    this.#domain = named.domain;
    this.#clock = clock;
  }

  /** @throws Problem `chain-unavailable`, also where the endpoints serve another chain, or the contract is not there or has another domain */
  deployment(): Promise<Deployment> {
    const now = this.#clock.now();
    if (this.#deployment !== null && now - this.#deployment.at < reportedMs) return this.#deployment.value;
    const value = this.#open();
    this.#deployment = { at: now, value };
    value.then(({ name }) => { this.#lastName = name; }, () => { this.#deployment = null; });
    return value;
  }

  /** The name under which rows stand, from memory alone; null before the chain was first reached. */
  get knownName(): string | null {
    return this.#lastName;
  }

  /** The name, for whoever must answer soon also while the chain is away. @throws Error where the chain was never reached and does not answer */
  async nameSoon(timers: Timers): Promise<string> {
    if (this.#lastName !== null) return this.#lastName;
    const answered = new AbortController();
    const late = timers.sleep(nameMs, answered.signal, false).then(() => {
      throw new Error(`chain ${this.chainId} was not reached yet`);
    });
    late.catch(() => {});
    try {
      return (await Promise.race([this.deployment(), late])).name;
    } finally {
      answered.abort();
    }
  }

  async rules(): Promise<Rules> {
    const { settings } = await this.deployment();
    return settings === null ? usualRules : this.reader.read(settings, views.rules());
  }

  node(address: Hex): Promise<NodeState> {
    return this.reader.read(this.contract, views.nodeInfos(address));
  }

  weight(address: Hex): Promise<number> {
    return this.reader.read(this.contract, views.delegationWeights(address));
  }

  hasReported(attestationId: Hex, node: Hex): Promise<boolean> {
    return this.reader.read(this.contract, views.attestationVerifiedNode(attestationId, node));
  }

  /** Whether the contract has carried out this very message; false for one that does not remember. */
  async isUsed(digest: Hex, signer: Hex): Promise<boolean> {
    const { native } = await this.deployment();
    return native && this.reader.read(this.contract, views.usedDigest(digest, signer));
  }

  async attestation(id: Hex): Promise<AttestationState> {
    const kept = this.#attestations.get(id);
    if (kept !== undefined) return kept;
    const state = await this.reader.read(this.contract, views.attestations(id));
    if (state.exists && state.deadline > 0) remember(this.#attestations, id, state);
    return state;
  }

  /** The id of the node at a place of a chosen list; null behind its end. */
  async chosenAt(chosenId: number, index: number): Promise<number | null> {
    const { native } = await this.deployment();
    if (native) return (await this.chosenList(chosenId))[index] ?? null;
    const key = `${chosenId}:${index}`;
    const kept = this.#places.get(key);
    if (kept !== undefined) return kept;
    const id = await this.reader.tryRead(this.contract, views.vrfChosenMap(chosenId, index));
    if (id !== null) remember(this.#places, key, id);
    return id;
  }

  /** A whole chosen list. Where the contract gives single places only, it costs as many reads as there may be nodes. */
  async chosenList(chosenId: number): Promise<number[]> {
    const kept = this.#chosen.get(chosenId);
    if (kept !== undefined) return kept;
    const { native } = await this.deployment();
    const list = native ? await this.reader.read(this.contract, views.chosenNodes(chosenId)) : await this.#readPlaces(chosenId);
    if (list.length > 0) remember(this.#chosen, chosenId, list);
    return list;
  }

  /** Whether the active set has no room. */
  async isFull(): Promise<boolean> {
    const [{ native }, { maxActiveNodes }] = await Promise.all([this.deployment(), this.rules()]);
    if (native) return (await this.reader.read(this.contract, views.activeNodeCount())) >= maxActiveNodes;
    return (await this.reader.tryRead(this.contract, views.activeVrfNodeList(maxActiveNodes - 1))) !== null;
  }

  /** Every active node with its weight; null where the contract does not tell. */
  async activeNodes(): Promise<ActiveNode[] | null> {
    const { native } = await this.deployment();
    if (!native) return null;
    const count = await this.reader.read(this.contract, views.activeNodeCount());
    const pages = Array.from({ length: Math.ceil(count / activePage) }, (_, page) =>
      this.reader.read(this.contract, views.activeNodes(page * activePage, activePage)));
    return (await Promise.all(pages)).flat();
  }

  async #readPlaces(chosenId: number): Promise<number[]> {
    const places = await Promise.all(Array.from({ length: maxChosen }, (_, index) =>
      this.reader.tryRead(this.contract, views.vrfChosenMap(chosenId, index))));
    const end = places.indexOf(null);
    return (end < 0 ? places : places.slice(0, end)).flatMap((id) => (id === null ? [] : [id]));
  }

  async #open(): Promise<Deployment> {
    const deployment = await openDeployment(this.reader, { chainId: this.chainId, contract: this.contract, domain: this.#domain });
    // What was accepted for the chain before is followed there by whoever runs since then.
    if (this.#lastName !== null && deployment.name !== this.#lastName) {
      throw unavailable('It was begun anew: its first block is another one than when this gateway started, which has to be started again too.');
    }
    return deployment;
  }
}

function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value);
  if (map.size <= maxKept) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
