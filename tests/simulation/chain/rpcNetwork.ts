import type { Connections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed } from '@vouch/platform/outbound/outbound';
import { exchangeMessages } from '../kernel/exchangeMessages.ts';
import type { SimulatedProcess } from '../kernel/simulatedProcess.ts';
import type { Simulation } from '../kernel/simulation.ts';
import type { SimulatedEndpoint } from './simulatedEndpoint.ts';

/** What happens to the requests of one endpoint, until a simulated time in ms. */
interface EndpointFaults {
  /** Connections are refused. */
  awayUntilMs: number;
  /** The endpoint answers with HTTP 429. */
  busyUntilMs: number;
  /** Requests or answers are lost, and requests arrive twice, each with this probability. */
  lossy: { untilMs: number; share: number };
}

/** The network between processes and RPC endpoints. */
export class RpcNetwork {
  readonly #simulation: Simulation;
  readonly #endpoints: ReadonlyMap<string, SimulatedEndpoint>;
  readonly #faults = new Map<string, EndpointFaults>();
  exchanges = 0;

  constructor(simulation: Simulation, endpoints: readonly SimulatedEndpoint[]) {
    this.#simulation = simulation;
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
    for (const { name } of endpoints) this.#faults.set(name, { awayUntilMs: 0, busyUntilMs: 0, lossy: { untilMs: 0, share: 0 } });
  }

  get urls(): string[] {
    return [...this.#endpoints.keys()].map((name) => `http://${name}/`);
  }

  endpoint(name: string): SimulatedEndpoint {
    return this.#endpoints.get(name)!;
  }

  fail(name: string, kind: 'away' | 'busy' | 'lossy' | 'behind' | 'hour-behind' | 'forgetful', ms: number, share = 0): void {
    const untilMs = this.#simulation.nowMs + ms;
    const faults = this.#faults.get(name)!;
    switch (kind) {
      case 'away':
        faults.awayUntilMs = untilMs;
        // A node that was away must first catch up.
        return this.endpoint(name).fallBehind(2 * ms);
      case 'busy':
        faults.busyUntilMs = untilMs;
        return;
      case 'lossy':
        faults.lossy = { untilMs, share };
        return;
      case 'behind': return this.endpoint(name).fallBehind(ms);
      case 'hour-behind': return this.endpoint(name).fallBehind(ms, 3_600);
      case 'forgetful': return this.endpoint(name).forgetReceipts(ms);
    }
  }

  /** The HTTP connections of a process. */
  connect(process: SimulatedProcess): Connections {
    return {
      send: (url, { body, signal }) => {
        this.exchanges += 1;
        return exchangeMessages({ process, url, signal, delay: () => this.#delay(process) }, ({ answer, fail }) => {
          const endpoint = this.endpoint(url.host);
          const faults = this.#faults.get(url.host)!;
          const isHit = (): boolean => this.#simulation.nowMs < faults.lossy.untilMs && process.random.uniform() < faults.lossy.share;
          if (this.#simulation.nowMs < faults.awayUntilMs) return fail(new OutboundFailed('unreachable', url.host, 'refused the connection'));
          if (this.#simulation.nowMs < faults.busyUntilMs) return answer(429, 'too many requests');
          if (isHit()) return;
          const text = endpoint.answer(body as string);
          this.#simulation.story.note(`${process.name} ${body as string} ${text}`);
          if (isHit()) this.#simulation.after(this.#delay(process), () => void endpoint.answer(body as string));
          if (isHit()) return fail(new OutboundFailed('incomplete', url.host, 'closed the connection before the answer'));
          if (!isHit()) answer(200, text);
        });
      },
      close: () => {},
    };
  }

  /** Time in ms that a message needs. */
  #delay({ random, slowness }: SimulatedProcess): number {
    return (2 + random.uniform() * 20) * slowness;
  }
}
