import type { Connections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed } from '@vouch/platform/outbound/outbound';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { relayedData } from '@vouch/verifier/testing/relayingGateway';
import { ServiceModel } from '../chain/serviceModel.ts';
import type { SimulatedChain } from '../chain/simulatedChain.ts';
import { drawDuration, seconds, type Drawn } from '../faults.ts';
import { exchangeMessages } from '../kernel/exchangeMessages.ts';
import type { SimulatedProcess } from '../kernel/simulatedProcess.ts';
import type { Simulation } from '../kernel/simulation.ts';

/** A fault of the gateway at a point of simulated time. */
export type GatewayFault = { atMs: number; kind: 'gateway-away' | 'gateway-busy' | 'gateway-lossy' | 'gateway-forgets' | 'gateway-slow' | 'gateway-page'; ms: number };

const gatewayFaultKinds = ['gateway-away', 'gateway-busy', 'gateway-lossy', 'gateway-forgets', 'gateway-slow', 'gateway-page'] as const;
const meanings: Readonly<Record<GatewayFault['kind'], string>> = {
  'gateway-away': 'refuses connections', 'gateway-busy': 'answers HTTP 429 or 503', 'gateway-lossy': 'loses a third of the requests and of the answers',
  'gateway-forgets': 'accepts messages and never sends them', 'gateway-slow': 'sends messages up to two minutes later', 'gateway-page': 'answers with a page',
};
/** Codes of the gateway for the contract's reasons. */
const codes: Readonly<Record<string, string>> = {
  'Not chosen': 'not-chosen', 'Already verify': 'already-reported', 'Deadline passed': 'report-deadline-passed', 'Attestation not exist': 'attestation-unknown',
  'Nodes not chosen': 'selection-pending', 'Already enter': 'already-active', 'signer not match': 'signer-mismatch', 'Invalid expiredAt': 'message-expired',
};
const lostShare = 0.33;
const zero = `0x${'0'.repeat(40)}`;

export function drawGatewayFault(random: SeededRandom): Drawn<GatewayFault> {
  return { kind: random.pick(gatewayFaultKinds), ms: drawDuration(random, 2_000, 90_000) };
}

/** A message that a node sends. */
export interface SentBody {
  path: string;
  body: Record<string, unknown>;
}

/** A gateway as nodes see it: it accepts signed messages, and its transactions are in a block some seconds later. The gateway's own code is simulated in the scenario `gateway`. */
export class GatewayModel {
  readonly #simulation: Simulation;
  readonly #chain: SimulatedChain;
  /** A contract that reverts where Vouch's own skips an entry. */
  readonly #judge: ServiceModel;
  readonly #random: SeededRandom;
  readonly #untilMs = new Map<GatewayFault['kind'], number>();
  /** Called for each message that arrives. */
  received: (from: string, message: SentBody) => void = () => {};
  accepted = 0;
  refused = 0;

  constructor(simulation: Simulation, chain: SimulatedChain) {
    this.#simulation = simulation;
    this.#chain = chain;
    this.#judge = new ServiceModel({ ...chain.model.options, native: false });
    this.#random = simulation.randomFor('gateway');
  }

  inflict({ kind, ms }: GatewayFault): void {
    this.#simulation.story.tell('gateway', `${meanings[kind]} for ${seconds(ms)}`);
    this.#untilMs.set(kind, Math.max(this.#untilMs.get(kind) ?? 0, this.#simulation.nowMs + ms));
  }

  /** The HTTP connections of a process to the gateway. */
  connect(process: SimulatedProcess): Connections {
    return {
      send: (url, { body, signal }) => exchangeMessages({ process, url, signal, delay: () => this.#delay(process) }, ({ answer, fail }) => {
        if (this.#has('gateway-away')) return fail(new OutboundFailed('unreachable', url.host, 'refused the connection'));
        if (this.#isLost()) return;
        const { status, text, headers } = this.#answer(process.name, url.pathname, body === undefined ? {} : JSON.parse(body as string) as Record<string, unknown>);
        this.#simulation.story.note(`${process.name} ${url.pathname} ${body as string} ${status} ${text}`);
        if (this.#isLost()) return fail(new OutboundFailed('incomplete', url.host, 'closed the connection before the answer'));
        answer(status, text, headers);
      }),
      close: () => {},
    };
  }

  #has(kind: GatewayFault['kind']): boolean {
    return this.#simulation.nowMs < (this.#untilMs.get(kind) ?? 0);
  }

  #isLost(): boolean {
    return this.#has('gateway-lossy') && this.#random.uniform() < lostShare;
  }

  #delay({ random, slowness }: SimulatedProcess): number {
    return (3 + random.uniform() * 30) * slowness;
  }

  #answer(from: string, path: string, body: Record<string, unknown>): { status: number; text: string; headers?: Record<string, string> } {
    if (this.#has('gateway-page')) return { status: this.#random.pick([200, 404, 502]), text: '<!doctype html><title>Example</title>' };
    const isMessage = !path.endsWith('/replaced_node');
    if (isMessage) this.received(from, { path, body });
    if (this.#has('gateway-busy')) return { status: this.#random.pick([429, 503]), text: '{"error":"Too many requests.","code":"busy"}', headers: { 'retry-after': String(1 + this.#random.below(20)) } };
    if (!isMessage) return { status: 200, text: JSON.stringify({ code: 0, msg: 'ok', data: { replaced_addr: zero } }) };
    const data = relayedData(path, body);
    const { head } = this.#chain;
    // The gateway's own endpoint may be a few blocks behind.
    const seen = this.#random.uniform() < 0.2 ? head.parent?.parent ?? head : head;
    const outcome = this.#judge.execute(seen.service, this.#judge.options.address, data, seen.timestamp + 2);
    if (!outcome.succeeded) {
      this.refused += 1;
      const code = codes[outcome.reason] ?? 'refused-by-contract';
      return { status: 400, text: JSON.stringify({ error: `${outcome.reason}.`, code, reason: code, message: outcome.reason }) };
    }
    this.accepted += 1;
    if (!this.#has('gateway-forgets')) this.#simulation.after(500 + this.#random.uniform() * (this.#has('gateway-slow') ? 120_000 : 4_000), () => this.#chain.callByStranger(data));
    return { status: 200, text: JSON.stringify({ code: 0, msg: 'ok', data: null }) };
  }
}
