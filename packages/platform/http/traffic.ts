import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import underPressure from '@fastify/under-pressure';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/** Limits on the work of a server. */
export interface TrafficLimits {
  /**
   * Upper bound for requests in work at the same time: arrived completely and not yet answered. Requests of routes without a key may use half of it.
   */
  maxInFlight: number;
  /**
   * Mean delay of the event loop in ms over the last second. Above this limit, new requests are rejected, except the first 16 of a second. 0 for no
   * limit.
   */
  maxEventLoopDelayMs: number;
  /** Time in ms that open requests get to end after a drain has begun. */
  drainTimeoutMs: number;
}

/**
 * Number of requests per second that are accepted even if the event loop is delayed. So few requests cannot have caused the delay: other programs use
 * the processor, and rejecting requests would not free it.
 */
const requestsASecondInAnyCase = 16;

/** Interval in ms at which a drain checks whether the last request has ended. */
const drainPollMs = 20;

/**
 * Counts the requests in work, rejects new requests over the limits, and drains. A request is in work from the last byte of its body until its answer
 * is handed over, so a client that sends or reads slowly does not use up the limit.
 */
export class Traffic {
  #open = 0;
  #inFlight = 0;
  /** Requests in work of routes that need no key. */
  #openRoutes = 0;
  #refused = 0;
  #draining = false;
  /** Number of requests admitted in the current second. */
  #admitted = { second: 0, requests: 0 };
  readonly #isUnderPressure: () => boolean;
  readonly #system: SystemInterfaces;
  readonly #limits: TrafficLimits;

  private constructor(isUnderPressure: () => boolean, system: SystemInterfaces, limits: TrafficLimits) {
    this.#isUnderPressure = isUnderPressure;
    this.#system = system;
    this.#limits = limits;
  }

  static async watch(server: FastifyInstance, system: SystemInterfaces, limits: TrafficLimits): Promise<Traffic> {
    // The plug-in only measures. admit() decides when and how to reject, because it knows the routes that must always answer. The plug-in is
    // registered in a scope without routes, because its own hook would repeat the check before each request.
    let isUnderPressure = (): boolean => false;
    await server.register(async (scope) => {
      await scope.register(underPressure, { maxEventLoopDelay: limits.maxEventLoopDelayMs });
      isUnderPressure = () => scope.isUnderPressure();
    });
    return new Traffic(isUnderPressure, system, limits);
  }

  /** Number of requests in work. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of requests rejected so far because of the limits. */
  get refused(): number {
    return this.#refused;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Whether a new request would be rejected because of the limits. */
  get overloaded(): boolean {
    return this.#inFlight >= this.#limits.maxInFlight || (this.#admittedThisSecond().requests >= requestsASecondInAnyCase && this.#isUnderPressure());
  }

  #admittedThisSecond(): { second: number; requests: number } {
    const second = Math.floor(this.#system.clock.now() / 1_000);
    if (this.#admitted.second !== second) this.#admitted = { second, requests: 0 };
    return this.#admitted;
  }

  /** Counts a request as open until its response is closed. */
  follow(request: FastifyRequest, reply: FastifyReply): void {
    this.#open++;
    reply.raw.on('close', () => {
      this.#open--;
      this.answered(request);
    });
    if (this.#draining) reply.header('connection', 'close');
  }

  /** Rejects a request that must not begin now. @throws Problem `draining`, `overloaded` */
  admit(): void {
    if (this.#draining) {
      throw platformErrors.problem('draining', 'This server is shutting down. Repeat the request in a few seconds, or send it to another server.', {
        headers: { 'retry-after': '5', connection: 'close' },
      });
    }
    if (!this.overloaded) {
      this.#admittedThisSecond().requests++;
      return;
    }
    throw this.#refuse(this.#inFlight >= this.#limits.maxInFlight
      ? `${this.#limits.maxInFlight} requests are already in progress`
      : 'the server currently answers too slowly');
  }

  /**
   * Counts a request as in work once its body has arrived. Requests without a key may use at most half of the places, so requests with a key always
   * get some.
   * @throws Problem `overloaded` if too many requests are in work
   */
  begin(request: FastifyRequest): void {
    if (request.inWork) return;
    const { maxInFlight } = this.#limits;
    if (this.#inFlight >= maxInFlight) this.admit();
    const half = Math.ceil(maxInFlight / 2);
    if (isOpen(request) && this.#openRoutes >= half) throw this.#refuse(`${half} requests without a key are already in progress`);
    this.#count(request, 1);
  }

  /** Counts a request whose route read the body itself as in work. Such a request is never rejected here, because its body is already processed. */
  beginLate(request: FastifyRequest): void {
    if (!request.inWork) this.#count(request, 1);
  }

  /** Ends the work on a request. Calling it again has no effect. */
  answered(request: FastifyRequest): void {
    if (request.inWork) this.#count(request, -1);
  }

  #count(request: FastifyRequest, change: 1 | -1): void {
    request.inWork = change === 1;
    this.#inFlight += change;
    if (isOpen(request)) this.#openRoutes += change;
  }

  #refuse(why: string): Problem {
    this.#refused++;
    return platformErrors.problem('overloaded', `The request was not started: ${why}. Repeat the request after a second.`, { headers: { 'retry-after': '1' } });
  }

  /**
   * Rejects new requests from now on. Resolves when all open requests have ended, or after `drainTimeoutMs`.
   * @returns number of requests that are still open
   */
  async drain(): Promise<number> {
    this.#draining = true;
    const end = this.#system.clock.now() + this.#limits.drainTimeoutMs;
    while (this.#open > 0 && this.#system.clock.now() < end) await this.#system.timers.sleep(drainPollMs);
    return this.#open;
  }
}

function isOpen(request: FastifyRequest): boolean {
  return request.routeConfig?.scope === null;
}
