import type { Hex } from '@vouch/chain/messages/operation';
import type { SystemInterfaces, Timers } from '@vouch/platform/process/systemInterfaces';
import { withinTime } from '@vouch/platform/process/withinTime';
import { unavailable, type ChainReader } from './chainReader.ts';
import { openDeployment, type Deployment, type NamedChain } from './openDeployment.ts';
import { views, Words, type ActiveNode, type AttestationState, type NodeState, type Rules } from './views.ts';

/** Limits assumed for a contract that has no view of its rules. Durations in seconds, commission in hundredths of a percent. */
export const usualRules: Rules = { maxExpiry: 6 * 3_600, commissionInterval: 7 * 86_400, maxActiveNodes: 2_000, maxCommissionIncrease: 500 };

/** Time in ms for which the verified deployment is cached before the endpoints are checked again. */
const reportedMs = 60_000;
/** Maximum number of cached attestations and chosen positions, which never change once set; the oldest are removed first. */
const maxKept = 50_000;
/** Maximum position searched in a chosen list if the contract has no view of the whole list. */
const maxChosen = 200;
const activePage = 500;
/** Time limit of `nameSoon`, so that one unreachable chain does not delay the metrics of other deployments. */
const nameMs = 2_000;

/** Reads the contract's state by RPC, in bulk. Results are cached for one block, immutable results without time limit. */
export class GatewayChain {
  readonly chainId: bigint;
  readonly contract: Hex;
  readonly reader: ChainReader;
  readonly #domain: Hex;
  readonly #confirmations: number;
  readonly #system: Pick<SystemInterfaces, 'elapsedMs'>;
  #deployment: { at: number; value: Promise<Deployment> } | null = null;
  /** The last known name; identifies the rows of repeated messages while the chain is unreachable. */
  #lastName: string | null = null;
  readonly #attestations = new Map<Hex, AttestationState>();
  readonly #chosen = new Map<number, number[]>();
  readonly #places = new Map<string, number>();

  constructor(reader: ChainReader, named: NamedChain & { confirmations: number }, system: Pick<SystemInterfaces, 'elapsedMs'>) {
    this.reader = reader;
    this.chainId = named.chainId;
    this.contract = named.contract;
    this.#domain = named.domain;
    this.#confirmations = named.confirmations;
    this.#system = system;
  }

  /**
   * Returns the verified deployment.
   * @throws Problem `chain-unavailable`, also if the endpoints serve another chain, or if the contract is missing or has another
   * domain
   */
  deployment(): Promise<Deployment> {
    const now = this.#system.elapsedMs();
    if (this.#deployment !== null && now - this.#deployment.at < reportedMs) return this.#deployment.value;
    const value = this.#open();
    this.#deployment = { at: now, value };
    value.then(({ name }) => { this.#lastName = name; }, () => { this.#deployment = null; });
    return value;
  }

  /** Deployment name of the stored rows, from memory; null until the chain was first reached. */
  get knownName(): string | null {
    return this.#lastName;
  }

  /**
   * Returns the deployment name within `nameMs`, even while the chain is unreachable.
   * @throws Error if the chain was never reached and does not answer in time
   */
  async nameSoon(timers: Timers): Promise<string> {
    if (this.#lastName !== null) return this.#lastName;
    const fault = (): Error => new Error(`chain ${this.chainId} has not been reached yet`);
    return (await withinTime({ timeoutMs: nameMs, timers, fault }, () => this.deployment())).name;
  }

  async rules(): Promise<Rules> {
    const { settings } = await this.deployment();
    return settings === null ? usualRules : this.reader.read(settings, views.rules());
  }

  node(address: Hex): Promise<NodeState> {
    return this.reader.read(this.contract, views.nodeInfos(address));
  }

  /** Reads a node in the state of the newest final block; null if the endpoint does not have this state. */
  async finalNode(address: Hex): Promise<NodeState | null> {
    const { number } = await this.reader.head();
    const { data, read } = views.nodeInfos(address);
    const [outcome] = await this.reader.ask([{ method: 'eth_call', params: [{ to: this.contract, data }, `0x${Math.max(0, number - this.#confirmations).toString(16)}`] }]);
    return outcome?.ok === true && typeof outcome.result === 'string' && outcome.result !== '0x' ? read(new Words(outcome.result)) : null;
  }

  weight(address: Hex): Promise<number> {
    return this.reader.read(this.contract, views.delegationWeights(address));
  }

  hasReported(attestationId: Hex, node: Hex): Promise<boolean> {
    return this.reader.read(this.contract, views.attestationVerifiedNode(attestationId, node));
  }

  /** Whether the contract already executed this message; false for a contract that does not store digests. */
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

  /** Returns the id of the node at a position of a chosen list; null past the end. */
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

  /** Returns a whole chosen list. If the contract has no view of the whole list, the read costs `maxChosen` calls. */
  async chosenList(chosenId: number): Promise<number[]> {
    const kept = this.#chosen.get(chosenId);
    if (kept !== undefined) return kept;
    const { native } = await this.deployment();
    const list = native ? await this.reader.read(this.contract, views.chosenNodes(chosenId)) : await this.#fetchPlaces(chosenId);
    if (list.length > 0) remember(this.#chosen, chosenId, list);
    return list;
  }

  /** Whether the active set is full. */
  async isFull(): Promise<boolean> {
    const [{ native }, { maxActiveNodes }] = await Promise.all([this.deployment(), this.rules()]);
    if (native) return (await this.reader.read(this.contract, views.activeNodeCount())) >= maxActiveNodes;
    return (await this.reader.tryRead(this.contract, views.activeVrfNodeList(maxActiveNodes - 1))) !== null;
  }

  /** Returns every active node with its weight; null if the contract has no such view. */
  async activeNodes(): Promise<ActiveNode[] | null> {
    const { native } = await this.deployment();
    if (!native) return null;
    const count = await this.reader.read(this.contract, views.activeNodeCount());
    const pages = Array.from({ length: Math.ceil(count / activePage) }, (_, page) =>
      this.reader.read(this.contract, views.activeNodes(page * activePage, activePage)));
    return (await Promise.all(pages)).flat();
  }

  async #fetchPlaces(chosenId: number): Promise<number[]> {
    const places = await Promise.all(Array.from({ length: maxChosen }, (_, index) =>
      this.reader.tryRead(this.contract, views.vrfChosenMap(chosenId, index))));
    const end = places.indexOf(null);
    return (end < 0 ? places : places.slice(0, end)).flatMap((id) => (id === null ? [] : [id]));
  }

  async #open(): Promise<Deployment> {
    const deployment = await openDeployment(this.reader, { chainId: this.chainId, contract: this.contract, domain: this.#domain });
    // A reset chain needs a restart: this process still follows messages that were accepted for the previous chain.
    if (this.#lastName !== null && deployment.name !== this.#lastName) {
      throw unavailable('The chain was reset: its first block differs from the one at the start of this gateway. Restart the gateway.');
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
