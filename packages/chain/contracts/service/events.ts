import { decodeAbiParameters, hexToBytes, parseAbiParameters, toEventSelector } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import type { Log } from '../../rpc/chainReads.ts';

/** Attestations that were announced together. */
export interface Announcement {
  /** Joins it with the choice of the nodes. */
  requestId: bigint;
  /** As many ids as infos, in the same order. */
  attestations: readonly { attestationId: Hex; info: Uint8Array }[];
}

/** Nodes that are to report the attestations of a request. */
export interface Choice {
  requestId: bigint;
  /** Numbers of the nodes: a node's place is the `index` of its report. */
  chosen: readonly number[];
  /** Last second of the chain's time in which reports count. */
  deadline: number;
}

/** Its texts as bytes, which are laid out alike: the id is their hash, and nobody checks that they are UTF-8. */
const announcement = parseAbiParameters('address, bytes32[], bytes[], uint256');
const choice = parseAbiParameters('uint256, uint32[], uint256');
const cleared = parseAbiParameters('address');

/** Reads the data of a `TeeReportAttestations`. @throws Error where it is none */
export function readAnnouncement(data: Hex): Announcement {
  const [, ids, infos, requestId] = decodeAbiParameters(announcement, data);
  if (ids.length !== infos.length) throw new Error(`it announces ${ids.length} ids and ${infos.length} infos`);
  return { requestId, attestations: ids.map((attestationId, at) => ({ attestationId, info: hexToBytes(infos[at] as Hex) })) };
}

/** Reads the data of a `ConfirmVrfNodes`. @throws Error where it is none */
export function readChoice(data: Hex): Choice {
  const [requestId, chosen, deadline] = decodeAbiParameters(choice, data);
  if (deadline > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('its deadline is beyond all times');
  return { requestId, chosen, deadline: Number(deadline) };
}

/** Reads the data of a `NodeClear`. @throws Error where it is none */
export function readCleared(data: Hex): Hex {
  return `0x${decodeAbiParameters(cleared, data)[0].slice(2).toLowerCase()}`;
}

const concluded = toEventSelector('AttestationConcluded(bytes32,uint8,uint256,uint256)');

/** Which attestations a transaction concluded, by the service's events. */
export function readConcluded(logs: readonly Pick<Log, 'address' | 'topics'>[], service: Hex): Hex[] {
  return logs.flatMap(({ address, topics: [topic, id] }) => (address === service && topic === concluded && id !== undefined ? [id] : []));
}
