import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import underPressure from '@fastify/under-pressure';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import type { SystemInterfaces } from '../process/doors.ts';

/** Bounds of the work a server takes on. */
export interface TrafficLimits {
  /** Requests in work at the same time: arrived completely, and not yet answered. Those of open routes take half of it at most. */
  maxInFlight: number;
  /** Mean delay of the event loop, in ms over the last second, above which new requests are refused, except the first few of a second; 0 for no bound. */
  maxEventLoopDelayMs: number;
  /** How long open requests may take to finish once the drain has begun. */
  drainTimeoutMs: number;
}

/**
 * Requests a second that a late event loop does not refuse. So few cannot have delayed the loop by themselves: other programs hold the
 * processor, and a refusal would not make it free.
 */
const requestsASecondInAnyCase = 16;

/** How often the drain looks whether the last request is finished. */
const drainPollMs = 20;

/**
 * Counts the requests in work, refuses new ones over the bounds, and drains. A request is in work from the last byte of its body to
 * the moment in which its answer is handed over: who sends slowly, or does not read, takes no place of others.
 */
export class Traffic {
  #open = 0;
  #inFlight = 0;
  /** Of these, requests of routes that need no key. */
  #openRoutes = 0;
  #refused = 0;
  #draining = false;
  /** Requests that were admitted since the second began. */
  #admitted = { second: 0, requests: 0 };
  readonly #isUnderPressure: () => boolean;
  readonly #doors: SystemInterfaces;
  readonly #limits: TrafficLimits;

  private constructor(isUnderPressure: () => boolean, doors: SystemInterfaces, limits: TrafficLimits) {
    this.#isUnderPressure = isUnderPressure;
    this.#doors = doors;
    this.#limits = limits;
  }

  static async watch(server: FastifyInstance, doors: SystemInterfaces, limits: TrafficLimits): Promise<Traffic> {
    // The plug-in measures; when to refuse, and how, is decided in admit(), which knows the routes that must always answer.
    // In a scope without routes, for its own hook would do the same once more before every request.
    let isUnderPressure = (): boolean => false;
    await server.register(async (scope) => {
      await scope.register(underPressure, { maxEventLoopDelay: limits.maxEventLoopDelayMs });
      isUnderPressure = () => scope.isUnderPressure();
    });
    return new Traffic(isUnderPressure, doors, limits);
  }

  /** Requests in work. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Requests that were refused so far because of the bounds. */
  get refused(): number {
    return this.#refused;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Whether a request that came now would be refused because of the bounds. */
  get overloaded(): boolean {
    return this.#inFlight >= this.#limits.maxInFlight || (this.#admittedThisSecond().requests >= requestsASecondInAnyCase && this.#isUnderPressure());
  }

  #admittedThisSecond(): { second: number; requests: number } {
    const second = Math.floor(this.#doors.clock.now() / 1_000);
    if (this.#admitted.second !== second) this.#admitted = { second, requests: 0 };
    return this.#admitted;
  }

  /** Follows a request until its connection is done with it. */
  follow(request: FastifyRequest, reply: FastifyReply): void {
    this.#open++;
    reply.raw.on('close', () => {
      this.#open--;
      this.answered(request);
    });
    if (this.#draining) reply.header('connection', 'close');
  }

  /** Refuses a request that must not begin now. @throws Problem `draining`, `overloaded` */
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
      ? `${this.#limits.maxInFlight} requests are in work already`
      : 'the server answers too slowly at the moment');
  }

  /**
   * Work on a request begins, whose body is there. Requests without a key never take the places of all those with one.
   * @throws Problem `overloaded` where too many came before it
   */
  begin(request: FastifyRequest): void {
    if (request.inWork) return;
    const { maxInFlight } = this.#limits;
    if (this.#inFlight >= maxInFlight) this.admit();
    const half = Math.ceil(maxInFlight / 2);
    if (isOpen(request) && this.#openRoutes >= half) throw this.#refuse(`${half} requests without a key are in work already`);
    this.#count(request, 1);
  }

  /** The body of a request is there whose route reads it itself: what was read so far is not thrown away. */
  beginLate(request: FastifyRequest): void {
    if (!request.inWork) this.#count(request, 1);
  }

  /** Work on a request is over; repeating it changes nothing. */
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
    return platformErrors.problem('overloaded', `The request was not begun: ${why}. Repeat it after a second.`, { headers: { 'retry-after': '1' } });
  }

  /**
   * Refuses new requests from now on; resolves when the open ones are finished, at the latest after the bound.
   * @returns how many are still open
   */
  async drain(): Promise<number> {
    this.#draining = true;
    const end = this.#doors.clock.now() + this.#limits.drainTimeoutMs;
    while (this.#open > 0 && this.#doors.clock.now() < end) await this.#doors.timers.sleep(drainPollMs);
    return this.#open;
  }
}

function isOpen(request: FastifyRequest): boolean {
  return request.routeConfig?.scope === null;
}
