import { keccak256 } from '@vouch/chain/messages/keccak256';
import type { Hex } from '@vouch/chain/messages/operation';

/**
 * An encoded read of a contract view and the decoder of its result. Arguments and results consist of whole 32-byte words and are
 * encoded here directly: a general ABI codec takes as long as the recovery of a signature.
 */
export interface View<Value> {
  data: Hex;
  /**
   * Decodes the result.
   * @throws RangeError if the result has too few words
   */
  read(words: Words): Value;
}

/** A result as words of 64 hex digits. */
export class Words {
  readonly #hex: string;

  /** @param hex result with 0x */
  constructor(hex: string) {
    this.#hex = hex;
  }

  get count(): number {
    return Math.floor((this.#hex.length - 2) / 64);
  }

  digits(at: number): string {
    const start = 2 + at * 64;
    if (start + 64 > this.#hex.length) throw new RangeError(`the contract returned ${this.count} words; word ${at} is missing`);
    return this.#hex.slice(start, start + 64);
  }

  big(at: number): bigint {
    return BigInt(`0x${this.digits(at)}`);
  }

  /** Returns the word as a number, at most Number.MAX_SAFE_INTEGER; unlimited times exceed that number. */
  number(at: number): number {
    const value = this.big(at);
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
  }

  flag(at: number): boolean {
    return this.big(at) !== 0n;
  }

  address(at: number): Hex {
    return `0x${this.digits(at).slice(24).toLowerCase()}`;
  }
}

/** A node's on-chain state; times in seconds since 1970. */
export interface NodeState {
  /** 0 if the node never entered. */
  id: number;
  active: boolean;
  claimer: Hex;
  /** In hundredths of a percent. */
  commissionRate: number;
  lastModifyAt: number;
}

/** An attestation's on-chain state. */
export interface AttestationState {
  exists: boolean;
  /** Key of the list of chosen nodes. */
  chosenId: number;
  /** Last second (since 1970) in which reports count; 0 until nodes are chosen. */
  deadline: number;
}

/** The contract's limits; durations in seconds. */
export interface Rules {
  maxExpiry: number;
  commissionInterval: number;
  maxActiveNodes: number;
  /** In hundredths of a percent. */
  maxCommissionIncrease: number;
}

/** A node of the active set; `weight` is the number of licenses that count for the node. */
export interface ActiveNode {
  node: Hex;
  weight: number;
}


/** The views that the intake reads. */
export const views = {
  nodeInfos: (node: Hex): View<NodeState> => view(selectors.nodeInfos, [node], (words) => ({
    id: words.number(0),
    active: words.flag(2),
    claimer: words.address(9),
    commissionRate: words.number(10),
    lastModifyAt: words.number(11),
  })),
  delegationWeights: (node: Hex): View<number> => view(selectors.delegationWeights, [node], (words) => words.number(0)),
  attestations: (id: Hex): View<AttestationState> => view(selectors.attestations, [id], (words) => ({
    exists: words.big(0) !== 0n, chosenId: words.number(4), deadline: words.number(5),
  })),
  attestationVerifiedNode: (id: Hex, node: Hex): View<boolean> => view(selectors.attestationVerifiedNode, [id, node], (words) => words.flag(0)),
  vrfChosenMap: (chosenId: number, index: number): View<number> => view(selectors.vrfChosenMap, [chosenId, index], (words) => words.number(0)),
  activeVrfNodeList: (index: number): View<number> => view(selectors.activeVrfNodeList, [index], (words) => words.number(0)),
  /** The node that a license counts for; the zero address if none. */
  delegation: (license: number): View<Hex> => view(selectors.delegation, [license], (words) => words.address(0)),
  domainHash: (): View<Hex> => view(selectors.domainHash, [], (words): Hex => `0x${words.digits(0).toLowerCase()}`),
  // The following views exist only in Vouch's own contract.
  chosenNodes: (chosenId: number): View<number[]> => view(selectors.chosenNodes, [chosenId], (words) =>
    Array.from({ length: listLength(words, 1) }, (_, at) => words.number(2 + at))),
  activeNodeCount: (): View<number> => view(selectors.activeNodeCount, [], (words) => words.number(0)),
  activeNodes: (offset: number, limit: number): View<ActiveNode[]> => view(selectors.activeNodes, [offset, limit], (words) =>
    Array.from({ length: listLength(words, 3) }, (_, at) => ({ node: words.address(2 + 3 * at), weight: words.number(4 + 3 * at) }))),
  usedDigest: (digest: Hex, signer: Hex): View<boolean> => view(selectors.usedDigest, [digest, signer], (words) => words.flag(0)),
  supportsIsolation: (): View<boolean> => view(selectors.supportsIsolation, [], (words) => words.flag(0)),
  license: (): View<Hex> => view(selectors.license, [], (words) => words.address(0)),
  settings: (): View<Hex> => view(selectors.settings, [], (words) => words.address(0)),
  /** View of the settings contract. */
  rules: (): View<Rules> => view(selectors.rules, [], (words) => ({
    maxExpiry: words.number(1),
    commissionInterval: words.number(2),
    maxActiveNodes: words.number(5),
    maxCommissionIncrease: words.number(7),
  })),
};

const selectors = {
  nodeInfos: selector('nodeInfos(address)'),
  delegationWeights: selector('delegationWeights(address)'),
  attestations: selector('attestations(bytes32)'),
  attestationVerifiedNode: selector('attestationVerifiedNode(bytes32,address)'),
  vrfChosenMap: selector('vrfChosenMap(uint32,uint256)'),
  activeVrfNodeList: selector('activeVrfNodeList(uint256)'),
  delegation: selector('delegation(uint256)'),
  domainHash: selector('eip712DomainHash()'),
  chosenNodes: selector('chosenNodes(uint32)'),
  activeNodeCount: selector('activeNodeCount()'),
  activeNodes: selector('activeNodes(uint256,uint256)'),
  usedDigest: selector('usedDigest(bytes32,address)'),
  supportsIsolation: selector('supportsIsolation()'),
  license: selector('license()'),
  settings: selector('settings()'),
  rules: selector('rules()'),
};

function selector(signature: string): string {
  return Buffer.from(keccak256(new TextEncoder().encode(signature)).subarray(0, 4)).toString('hex');
}

function view<Value>(name: string, words: readonly (Hex | number)[], read: (words: Words) => Value): View<Value> {
  const encoded = words.map((word) => (typeof word === 'number' ? word.toString(16) : word.slice(2)).padStart(64, '0'));
  return { data: `0x${name}${encoded.join('')}`, read };
}

/** Reads the length of a result that is one list, and checks the length against the number of words. */
function listLength(words: Words, wordsEach: number): number {
  const length = words.number(1);
  if (2 + length * wordsEach > words.count) throw new RangeError(`the contract announced ${length} elements but returned ${words.count} words`);
  return length;
}
