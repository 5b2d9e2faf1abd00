import { Problem } from '@vouch/platform/errors/problem';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import type { Cluster } from '../cluster.ts';
import type { Simulation } from '../kernel/simulation.ts';
import type { Accept } from './gatewayProcess.ts';
import type { PlannedMessage, SignedBody } from './messages.ts';

/** What a client knows about its message. */
export interface SentMessage extends SignedBody {
  planned: PlannedMessage;
  /** Set by the first answer 200. */
  requestId: string | null;
  /** Code of the refusal that ended the client's attempts. */
  refused: string | null;
  /** Requests without an answer. */
  underWay: number;
}

/** Time in ms after which a client gives up a request. */
const patienceMs = 30_000;
/** Status codes with which the same message can be accepted later. */
const passing: ReadonlySet<number> = new Set([429, 503]);
const retryMs = 2_000;
const maxTries = 60;

/** The nodes that send messages: they repeat the same body until it is answered, and some send it to two processes at once. */
export class Clients {
  readonly #simulation: Simulation;
  readonly #cluster: () => Cluster;
  readonly #random: SeededRandom;
  /** The intake of each process, as its newest life started it. */
  readonly intakes = new Map<string, Accept>();
  readonly messages: readonly SentMessage[];
  /** Called when an answer gives another id than an earlier answer to the same message. */
  contradicted: (message: SentMessage, requestId: string) => void = () => {};
  /** Called for an error without a code, which a client would get as HTTP 500. */
  failed: (message: SentMessage, error: Error) => void = () => {};

  constructor(simulation: Simulation, cluster: () => Cluster, messages: readonly SentMessage[]) {
    this.#simulation = simulation;
    this.#cluster = cluster;
    this.#random = simulation.randomFor('clients');
    this.messages = messages;
  }

  start(): void {
    for (const message of this.messages) {
      const { atMs, twice } = message.planned;
      this.#simulation.after(atMs, () => this.#send(message, 0));
      if (twice) this.#simulation.after(atMs + this.#random.uniform() * 50, () => this.#send(message, 1));
    }
  }

  /** The message that was sent last. */
  newest(): SentMessage | null {
    return this.messages.findLast(({ planned }) => planned.atMs < this.#simulation.nowMs) ?? null;
  }

  /** The messages that were sent last, in order. */
  recent(count: number): readonly SentMessage[] {
    return this.messages.filter(({ planned }) => planned.atMs < this.#simulation.nowMs).slice(-count);
  }

  /** The next message, at least `leastMs` from now, that may change nothing: it sets a claimer or a commission. */
  nextSetting(leastMs: number): SentMessage | null {
    return this.messages.find(({ planned: { atMs, operation: { kind } } }) => atMs >= this.#simulation.nowMs + leastMs && (kind === 'claimer' || kind === 'commission')) ?? null;
  }

  /** Whether every message was answered. */
  get done(): boolean {
    return this.messages.every(({ requestId, refused, underWay }) => (requestId !== null || refused !== null) && underWay === 0);
  }

  #send(message: SentMessage, tries: number): void {
    const { planned, body } = message;
    if (tries > 1 && message.requestId !== null) return;
    const name = planned.gateways[tries % planned.gateways.length]!;
    message.underWay += 1;
    let over = false;
    const end = (then: () => void): void => {
      if (over) return;
      over = true;
      message.underWay -= 1;
      then();
    };
    const again = (): void => {
      if (tries >= maxTries) message.refused ??= 'not answered';
      else this.#simulation.after(retryMs * (0.5 + this.#random.uniform()), () => this.#send(message, tries + 1));
    };
    const member = this.#cluster().member(name);
    const accept = this.intakes.get(name);
    if (member === undefined || !member.process.alive || accept === undefined) return end(again);
    const { process } = member;
    this.#simulation.after(patienceMs, () => end(again));
    process.after(this.#delay(), () => {
      accept(planned.operation.kind, body).then(
        ({ requestId, state }) => process.after(this.#delay(), () => end(() => this.#note(message, requestId, state))),
        (error: unknown) => process.after(this.#delay(), () => end(() => this.#refuse(message, error, again))),
      );
    });
  }

  #note(message: SentMessage, requestId: string, state: string): void {
    if (message.requestId === null) this.#simulation.story.tell('client', `${message.planned.name} (${message.planned.operation.kind}) is accepted: ${state}`);
    else if (message.requestId !== requestId) this.contradicted(message, requestId);
    message.requestId ??= requestId;
  }

  #refuse(message: SentMessage, error: unknown, again: () => void): void {
    if (!(error instanceof Problem)) this.failed(message, error as Error);
    if (!(error instanceof Problem) || passing.has(error.status)) return again();
    if (message.requestId !== null) return;
    this.#simulation.story.tell('client', `${message.planned.name} (${message.planned.operation.kind}) is refused: ${error.code}`);
    message.refused ??= error.code;
  }

  #delay(): number {
    return 1 + this.#random.uniform() * 30;
  }
}
