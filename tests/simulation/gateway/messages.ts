import { createHash } from 'node:crypto';
import { addressOfKey } from '@vouch/chain/keystore/addressOfKey';
import { digestOf } from '@vouch/chain/messages/digest';
import type { Hex, Operation, Signature } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { secp256k1 } from '@noble/curves/secp256k1';
import { noEarnings } from '../chain/dayModel.ts';
import type { ServiceAttestation, ServiceNode } from '../chain/serviceState.ts';
import { startMs } from '../kernel/simulation.ts';

/** An account of a simulation. */
export interface Account {
  key: Hex;
  address: Hex;
}

/** A message that a client sends, and to which process first. */
export interface PlannedMessage {
  name: string;
  atMs: number;
  /** Processes that the client tries, in this order. */
  gateways: readonly string[];
  /** Whether the client also sends the message to the second process, without waiting for the answer of the first. */
  twice: boolean;
  signer: number;
  operation: Operation;
}

export const signerCount = 8;
/** Time in ms for which half of the messages come from one signer, so that messages of this signer wait for each other and use up budgets. */
const busyMs = 20_000;
const attestationCount = 12;
/** Time in ms from an exit to the entry in place of the node, within a batch window of usual length. Only an entry before the exit replaces the node. */
const contestMs = { least: -300, most: 100 };
/** Claimers that messages set again and again, so that some messages change nothing. */
const repeatedClaimers = 2;

/** An account whose key follows from its name. */
export function accountOf(name: string): Account {
  const key: Hex = `0x${createHash('sha256').update(`simulation ${name}`).digest('hex')}`;
  return { key, address: addressOfKey(key)! };
}

/** Nodes at the start: all have a license; the first half is in the active set. */
export function drawNodes(signers: readonly Account[], mostWeight = 1): Map<Hex, ServiceNode> {
  return new Map(signers.map(({ address }, at) => [address, {
    id: at + 1, active: at < signers.length / 2, weight: 1 + (at % mostWeight), claimer: zeroAddress, commissionRate: 100, lastModifyAt: 0, lastEnterTime: 0, earnings: noEarnings,
  }]));
}

/** Attestations for which all nodes are chosen. Some end during the run. */
export function drawAttestations(random: SeededRandom, untilMs: number): ServiceAttestation[] {
  return Array.from({ length: attestationCount }, (_, at) => ({
    id: `0x${createHash('sha256').update(`attestation ${at}`).digest('hex')}`,
    chosenId: at + 1,
    chosen: Array.from({ length: signerCount }, (_each, node) => node + 1),
    deadline: Math.floor((startMs + (random.uniform() < 0.3 ? random.uniform() * untilMs * 2 : untilMs + 7_200_000)) / 1_000),
  }));
}

/** Draws the messages of a run. @param replaceable nodes that an entry can replace if the active set is full; none by default */
export function drawMessages(
  random: SeededRandom, { count, untilMs, gateways, attestations, replaceable = [zeroAddress] }: { count: number; untilMs: number; gateways: readonly string[]; attestations: readonly ServiceAttestation[]; replaceable?: readonly Hex[] },
): PlannedMessage[] {
  return Array.from({ length: count }, (_, at): PlannedMessage => {
    const atMs = Math.floor(random.uniform() * untilMs);
    const signer = random.uniform() < 0.5 ? Math.floor(atMs / busyMs) % signerCount : random.below(signerCount);
    const first = random.below(gateways.length);
    return {
      name: `message ${at + 1}`, atMs, signer, twice: random.uniform() < 0.15, operation: drawOperation(random, { signer, atMs, at, attestations, replaceable }),
      gateways: gateways.map((_each, place) => gateways[(first + place) % gateways.length]!),
    };
  }).sort((one, other) => one.atMs - other.atMs);
}

/** Two messages about one place of the active set: a node leaves, and a heavier one enters in its place, shortly before or after. */
export interface Contest {
  atMs: number;
  leaving: number;
  entering: number;
  messages: readonly PlannedMessage[];
}

/** Draws contests for a place, one per interval, so that they do not disturb each other. @param nodes accounts in the order of `signer` */
export function drawContests(
  random: SeededRandom, { everyMs, untilMs, gateways, nodes, weightOf }: { everyMs: number; untilMs: number; gateways: readonly string[]; nodes: readonly Hex[]; weightOf: (node: Hex) => number },
): Contest[] {
  const heavierThan = (leaving: number): number[] => nodes.flatMap((node, signer) => (weightOf(node) > weightOf(nodes[leaving]!) ? [signer] : []));
  const lighter = nodes.flatMap((_, signer) => (heavierThan(signer).length > 0 ? [signer] : []));
  return Array.from({ length: Math.floor(untilMs / everyMs) }, (_, at): Contest => {
    const atMs = Math.floor((at + 0.75 + 0.2 * random.uniform()) * everyMs);
    const leaving = random.pick(lighter);
    const entering = random.pick(heavierThan(leaving));
    const first = random.below(gateways.length);
    const plain = { twice: false, gateways: [...gateways.slice(first), ...gateways.slice(0, first)] };
    // Short enough for an endpoint that sees the chain of an hour ago.
    const expiredAt = BigInt(Math.floor((startMs + atMs) / 1_000) + 4 * 3_600);
    const exit: PlannedMessage = { ...plain, name: `exit ${at + 1}`, atMs, signer: leaving, operation: { kind: 'exit', expiredAt } };
    const besideMs = Math.max(0, atMs + contestMs.least + random.below(contestMs.most - contestMs.least));
    const entry: PlannedMessage = { ...plain, name: `entry ${at + 1}`, atMs: besideMs, signer: entering, operation: { kind: 'enter', replacedNode: nodes[leaving]!, expiredAt } };
    return { atMs, leaving, entering, messages: [exit, entry] };
  });
}

function drawOperation(
  random: SeededRandom, { signer, atMs, at, attestations, replaceable }: { signer: number; atMs: number; at: number; attestations: readonly ServiceAttestation[]; replaceable: readonly Hex[] },
): Operation {
  // Three of ten messages can expire during the run.
  const validSeconds = random.uniform() < 0.3 ? 70 + random.below(300) : 5 * 3_600 + random.below(1_800);
  const expiredAt = BigInt(Math.floor((startMs + atMs) / 1_000) + validSeconds);
  const kind = random.uniform();
  if (kind < 0.45) return { kind: 'report', attestationId: random.pick(attestations).id, result: random.below(2), index: signer };
  if (kind < 0.75) return { kind: 'claimer', claimer: `0x${(random.uniform() < 0.3 ? 0xc1 + random.below(repeatedClaimers) : at + 1).toString(16).padStart(40, '0')}`, expiredAt };
  if (kind < 0.82) return { kind: 'commission', commissionRate: 100 + 50 * random.below(6), expiredAt };
  if (kind < 0.92) return { kind: 'enter', replacedNode: replaceable.length > 1 ? random.pick(replaceable) : replaceable[0]!, expiredAt };
  return { kind: 'exit', expiredAt };
}

/** The operation of another message by which another sender makes the change of `operation` beforehand: the same value, or a different vote. */
export function anticipate(operation: Operation): Operation {
  if (operation.kind === 'report') return { ...operation, result: 1 - operation.result };
  return { ...operation, expiredAt: operation.expiredAt + 1n };
}

/** A message as the client sends it. */
export interface SignedBody {
  digest: Hex;
  signer: Hex;
  signature: Signature;
  body: Record<string, string | number>;
}

export function signBody(operation: Operation, domain: Uint8Array, { key, address }: Account): SignedBody {
  const digest = digestOf(operation, domain);
  const { r, s, recovery } = secp256k1.sign(digest, key.slice(2));
  const hex = (part: bigint): string => part.toString(16).padStart(64, '0');
  return {
    digest: `0x${Buffer.from(digest).toString('hex')}`, signer: address,
    signature: { v: recovery === 0 ? 27 : 28, r: `0x${hex(r)}`, s: `0x${hex(s)}` },
    body: { ...fieldsOf(operation), signer: address, v: 27 + recovery, r: hex(r), s: hex(s) },
  };
}

function fieldsOf(operation: Operation): Record<string, string | number> {
  switch (operation.kind) {
    case 'report': return { attestation_id: operation.attestationId, result: operation.result, index: operation.index };
    case 'enter': return { replaced_node: operation.replacedNode, expired_at: Number(operation.expiredAt) };
    case 'exit': return { expired_at: Number(operation.expiredAt) };
    case 'claimer': return { claimer: operation.claimer, expired_at: Number(operation.expiredAt) };
    case 'commission': return { commission_rate: operation.commissionRate, expired_at: Number(operation.expiredAt) };
  }
}
