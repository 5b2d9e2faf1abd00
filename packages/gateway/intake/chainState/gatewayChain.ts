import type { Hex } from '@vouch/chain/messages/operation';
import type { SystemInterfaces, Timers } from '@vouch/platform/process/systemInterfaces';
import { withinTime } from '@vouch/platform/process/withinTime';
import { unavailable, type ChainReader } from './chainReader.ts';
import { SettledCache } from './settledCache.ts';
import { openDeployment, type Deployment, type NamedChain } from './openDeployment.ts';
import { views, Words, type ActiveNode, type AttestationState, type NodeState, type Rules } from './views.ts';

/** Limits assumed for a contract that has no view of its rules. Durations in seconds, commission in hundredths of a percent. */
export const usualRules: Rules = { maxExpiry: 6 * 3_600, commissionInterval: 7 * 86_400, maxActiveNodes: 2_000, maxCommissionIncrease: 500 };

/** Time in ms for which the verified deployment is cached before the endpoints are checked again. */
const reportedMs = 60_000;
/** Maximum number of cached attestations, chosen lists and chosen positions. */
const maxKept = 50_000;
/** Maximum position searched in a chosen list if the contract has no view of the whole list. */
const maxChosen = 200;
const activePage = 500;
/** Time limit of `nameSoon`, so that one unreachable chain does not delay the metrics of other deployments. */
const nameMs = 2_000;

/** Reads the contract's state by RPC, in bulk. Results are cached for one block; results that never change, without limit once their block is final. */
export class GatewayChain {
  readonly chainId: bigint;
  readonly contract: Hex;
  /** Address of Multicall3, for a contract that does not isolate failing entries. */
  readonly multicall: Hex;
  readonly reader: ChainReader;
  readonly #domain: Hex;
  readonly #confirmations: number;
  readonly #system: Pick<SystemInterfaces, 'elapsedMs'>;
  #deployment: { at: number; value: Promise<Deployment> } | null = null;
  /** The last known name; identifies the rows of repeated messages while the chain is unreachable. */
  #lastName: string | null = null;
  readonly #attestations: SettledCache<Hex, AttestationState>;
  readonly #chosen: SettledCache<number, number[]>;
  readonly #places: SettledCache<string, number | null>;

  constructor(reader: ChainReader, named: NamedChain & { confirmations: number }, system: Pick<SystemInterfaces, 'elapsedMs'>) {
    this.reader = reader;
    this.chainId = named.chainId;
    this.contract = named.contract;
    this.#domain = named.domain;
    this.multicall = named.multicall;
    this.#confirmations = named.confirmations;
    this.#system = system;
    this.#attestations = new SettledCache(named.confirmations, maxKept);
    this.#chosen = new SettledCache(named.confirmations, maxKept);
    this.#places = new SettledCache(named.confirmations, maxKept);
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

  /** Verifies the deployment now, also for the later callers of `deployment`. @throws as `deployment` */
  readDeployment(): Promise<Deployment> {
    this.#deployment = null;
    return this.deployment();
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

  /**
   * Reads a node in the state of the newest final block.
   * @param least number of a block that is known to be final
   * @returns null if the endpoint does not have the state of a final block from `least` on
   */
  async finalNode(address: Hex, least: number): Promise<NodeState | null> {
    const { number } = await this.reader.head();
    if (number - this.#confirmations < least) return null;
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
    const read = (): Promise<AttestationState> => this.reader.read(this.contract, views.attestations(id));
    return this.#attestations.get(id, await this.reader.head(), read, ({ exists, deadline }) => exists && deadline > 0);
  }

  /** Returns the id of the node at a position of a chosen list; null past the end. */
  async chosenAt(chosenId: number, index: number): Promise<number | null> {
    const { native } = await this.deployment();
    if (native) return (await this.chosenList(chosenId))[index] ?? null;
    const read = (): Promise<number | null> => this.reader.tryRead(this.contract, views.vrfChosenMap(chosenId, index));
    return this.#places.get(`${chosenId}:${index}`, await this.reader.head(), read, (id) => id !== null);
  }

  /** Returns a whole chosen list. If the contract has no view of the whole list, the read costs `maxChosen` calls. */
  async chosenList(chosenId: number): Promise<number[]> {
    const { native } = await this.deployment();
    const read = (): Promise<number[]> => (native ? this.reader.read(this.contract, views.chosenNodes(chosenId)) : this.#fetchPlaces(chosenId));
    return this.#chosen.get(chosenId, await this.reader.head(), read, (list) => list.length > 0);
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
    const deployment = await openDeployment(this.reader, { chainId: this.chainId, contract: this.contract, multicall: this.multicall, domain: this.#domain });
    // A reset chain needs a restart: this process still follows messages that were accepted for the previous chain.
    if (this.#lastName !== null && deployment.name !== this.#lastName) {
      throw unavailable('The chain was reset: its first block differs from the one at the start of this gateway. Restart the gateway.');
    }
    return deployment;
  }
}
