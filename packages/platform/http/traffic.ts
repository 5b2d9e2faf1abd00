import type { FastifyInstance, FastifyReply } from 'fastify';
import underPressure from '@fastify/under-pressure';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Doors } from '../process/doors.ts';

/** Bounds of the work a server takes on. */
export interface TrafficLimits {
  /** Requests in work at the same time. */
  maximumInFlight: number;
  /** Mean delay of the event loop, in ms over the last second, above which new requests are refused; 0 for no bound. */
  eventLoopDelayMsMax: number;
  /** How long open requests may take to finish once the drain has begun. */
  drainTimeoutMs: number;
}

/** How often the drain looks whether the last request is finished. */
const drainPollMs = 20;

/** Counts the requests in work, refuses new ones over the bounds, and drains. */
export class Traffic {
  #inFlight = 0;
  #draining = false;
  /** One for all requests; their answers close once. */
  readonly #ended = (): void => { this.#inFlight--; };
  readonly #isUnderPressure: () => boolean;
  readonly #doors: Doors;
  readonly #limits: TrafficLimits;

  private constructor(isUnderPressure: () => boolean, doors: Doors, limits: TrafficLimits) {
    this.#isUnderPressure = isUnderPressure;
    this.#doors = doors;
    this.#limits = limits;
  }

  static async watch(server: FastifyInstance, doors: Doors, limits: TrafficLimits): Promise<Traffic> {
    // The plug-in measures; when to refuse, and how, is decided in admit(), which knows the routes that must always answer.
    // In a scope without routes, for its own hook would do the same once more before every request.
    let isUnderPressure = (): boolean => false;
    await server.register(async (scope) => {
      await scope.register(underPressure, { maxEventLoopDelay: limits.eventLoopDelayMsMax });
      isUnderPressure = () => scope.isUnderPressure();
    });
    return new Traffic(isUnderPressure, doors, limits);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Counts a request until its connection is done with it. */
  count(reply: FastifyReply): void {
    this.#inFlight++;
    reply.raw.on('close', this.#ended);
    if (this.#draining) reply.header('connection', 'close');
  }

  /** Refuses a request that must not begin now. @throws Problem `draining`, `overloaded` */
  admit(): void {
    if (this.#draining) {
      throw platformErrors.problem('draining', 'This server is shutting down. Repeat the request in a few seconds, or send it to another server.', {
        headers: { 'retry-after': '5', connection: 'close' },
      });
    }
    const crowded = this.#inFlight > this.#limits.maximumInFlight;
    if (!crowded && !this.#isUnderPressure()) return;
    const why = crowded ? `${this.#limits.maximumInFlight} requests are in work already` : 'the server answers too slowly at the moment';
    throw platformErrors.problem('overloaded', `The request was not begun: ${why}. Repeat it after a second.`, { headers: { 'retry-after': '1' } });
  }

  /** Refuses new requests from now on; resolves when the open ones are finished, at the latest after the bound. */
  async drain(): Promise<void> {
    this.#draining = true;
    const end = this.#doors.clock.now() + this.#limits.drainTimeoutMs;
    while (this.#inFlight > 0 && this.#doors.clock.now() < end) await this.#doors.timers.sleep(drainPollMs);
  }
}
