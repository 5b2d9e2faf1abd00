import { attestationIdOf } from '@vouch/verifier/attestation/decodeInfo';
import { verdictOf, type TestAttestation } from '@vouch/verifier/attestation/testPki/keepTestPki';
import type { Hex } from '@vouch/chain/messages/operation';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import type { ForeignCall } from '../chain/simulatedChain.ts';
import type { ServiceModel } from '../chain/serviceModel.ts';
import type { SimulatedPki } from './simulatedPki.ts';

/** A request that announces attestations. Nodes are chosen for it later, or never. */
export interface PlannedRequest {
  name: string;
  atMs: number;
  requestId: number;
  kinds: readonly TestAttestation[];
  /** Time in ms between announcement and choice; null if no random word arrives. */
  chosenAfterMs: number | null;
  /** Time in seconds in which reports count. */
  windowSeconds: number;
}

/** An attestation with the verdict that each node must report. */
export interface PlannedAttestation {
  id: Hex;
  /** The announced text. */
  info: string;
  verdict: 0 | 1 | 2;
}

/** Half of the attestations are judged with collateral, the others without. */
const kindsDrawn: readonly TestAttestation[] = ['not a quote', 'good', 'debugged', 'good', 'forged', 'good'];
/** In a block whose time is a multiple of this, the first node of the list is not chosen. */
const leftOutEvery = 5;

/** Draws the requests of a run: short windows, which faults can use up, and long ones. */
export function drawRequests(random: SeededRandom, { kinds, count, untilMs }: { kinds: SeededRandom; count: number; untilMs: number }): PlannedRequest[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `request ${at + 1}`, atMs: Math.floor(random.uniform() * untilMs), requestId: at + 1, kinds: Array.from({ length: 1 + random.below(3) }, () => kinds.pick(kindsDrawn)),
    chosenAfterMs: random.uniform() < 0.9 ? 4_000 + random.below(40_000) : null,
    windowSeconds: random.uniform() < 0.35 ? 30 + random.below(200) : 1_200,
  })).sort((one, other) => one.atMs - other.atMs);
}

/** Makes the attestations of a request. */
export function makeAttestations(pki: SimulatedPki, { requestId, kinds }: PlannedRequest): PlannedAttestation[] {
  return kinds.map((kind, at) => {
    const info = pki.makeInfo(kind, `attestation ${at + 1} of request ${requestId}`);
    return { id: attestationIdOf(info), info, verdict: verdictOf[kind] };
  });
}

/** Announces the attestations of a request. A second announcement of the same one has no effect. */
export function announce(model: ServiceModel, request: PlannedRequest, announced: readonly PlannedAttestation[]): ForeignCall {
  const ids = announced.map(({ id }) => id);
  return (state) => {
    if (state.attestations.some(({ id }) => ids.includes(id))) return { succeeded: false, reason: 'Attestation exists', gas: 0 };
    const attestations = ids.map((id) => ({ id, chosenId: 0, chosen: [], deadline: 0 }));
    const event = model.log('TeeReportAttestations', { tee: model.options.address, attestationIDs: ids, attestationInfos: announced.map(({ info }) => info), requestID: BigInt(request.requestId) });
    return { succeeded: true, gas: 0, logs: [event], state: { ...state, attestations: [...state.attestations, ...attestations] } };
  };
}

/** Removes a node from the active set, as the contract does after missed reports. */
export function removeNode(model: ServiceModel, address: Hex): ForeignCall {
  return (state, time) => {
    const node = state.nodes.get(address);
    if (node?.active !== true) return { succeeded: false, reason: 'Already exit', gas: 0 };
    const { state: after, logs } = model.clear(state, address, time);
    return { succeeded: true, gas: 0, logs: [...logs], state: after };
  };
}

/** Chooses nodes for a request. The list follows from the time of the block, so a reorganization may choose other nodes, or the same ones at other places. */
export function choose(model: ServiceModel, request: PlannedRequest, announced: readonly PlannedAttestation[]): ForeignCall {
  const ids = announced.map(({ id }) => id);
  return (state, time) => {
    const active = [...state.nodes.values()].filter((node) => node.active).map(({ id }) => id);
    if (active.length === 0 || !state.attestations.some(({ id, chosenId }) => ids.includes(id) && chosenId === 0)) return { succeeded: false, reason: 'Nothing to choose', gas: 0 };
    const shift = time % active.length;
    const turned = [...active.slice(shift), ...active.slice(0, shift)];
    const chosen = time % leftOutEvery === 0 ? turned.slice(1) : turned;
    const deadline = time + request.windowSeconds;
    const event = model.log('ConfirmVrfNodes', { requestId: BigInt(request.requestId), vrfChosen: chosen, deadline: BigInt(deadline) });
    return {
      succeeded: true, gas: 0, logs: [event],
      state: { ...state, attestations: state.attestations.map((each) => (ids.includes(each.id) ? { ...each, chosenId: request.requestId, chosen, deadline } : each)) },
    };
  };
}
