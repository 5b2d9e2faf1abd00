import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import underPressure from '@fastify/under-pressure';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { noSender, type Turns } from './turns.ts';

/** Limits on the work of a server. */
export interface TrafficLimits {
  /**
   * Upper bound for requests in work at the same time: arrived completely and not yet answered. A sender may have as many of them as places are free:
   * one sender alone half of the bound, two senders a third each.
   */
  maxInFlight: number;
  /**
   * Mean delay of the event loop in ms over the last second. Above this limit, new requests are rejected, except the first 16 of a second. 0 for no
   * limit.
   */
  maxEventLoopDelayMs: number;
  /** Time in ms that open requests get to end after a drain has begun. */
  drainTimeoutMs: number;
  /**
   * Time in ms for which a drain keeps idle connections, each of which gets one more answer. A client that sends while its connection is being closed gets
   * none.
   */
  drainIdleMs: number;
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
  /** Requests in work by sender. */
  readonly #bySender = new Map<string, number>();
  #refused = 0;
  #refusedOfSender = 0;
  /** When the drain began; null if the server does not drain. */
  #drainBegan: number | null = null;
  /** Number of connections that were opened before the drain. */
  #earlyConnections = 0;
  /** Connections that were opened after the drain had begun. */
  readonly #lateConnections = new WeakSet<Socket>();
  /** Number of requests admitted in the current second. */
  #admitted = { second: 0, requests: 0 };
  readonly #isUnderPressure: () => boolean;
  readonly #system: SystemInterfaces;
  readonly #limits: TrafficLimits;
  readonly #turns: Turns;

  private constructor(isUnderPressure: () => boolean, system: SystemInterfaces, limits: TrafficLimits, turns: Turns) {
    this.#isUnderPressure = isUnderPressure;
    this.#system = system;
    this.#limits = limits;
    this.#turns = turns;
  }

  static async watch(server: FastifyInstance, system: SystemInterfaces, limits: TrafficLimits, turns: Turns): Promise<Traffic> {
    // The plug-in only measures. admit() decides when and how to reject, because it knows the routes that must always answer. The plug-in is
    // registered in a scope without routes, because its own hook would repeat the check before each request.
    let isUnderPressure = (): boolean => false;
    await server.register(async (scope) => {
      await scope.register(underPressure, { maxEventLoopDelay: limits.maxEventLoopDelayMs });
      isUnderPressure = () => scope.isUnderPressure();
    });
    const traffic = new Traffic(isUnderPressure, system, limits, turns);
    server.server.on('connection', (socket) => {
      if (traffic.draining) return void traffic.#lateConnections.add(socket);
      traffic.#earlyConnections++;
      socket.once('close', () => { traffic.#earlyConnections--; });
    });
    return traffic;
  }

  /** Number of requests in work. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of requests rejected so far because of the limits, by code. */
  get refused(): Record<'overloaded' | 'too-many-in-progress', number> {
    return { overloaded: this.#refused, 'too-many-in-progress': this.#refusedOfSender };
  }

  get draining(): boolean {
    return this.#drainBegan !== null;
  }

  /** Whether the first request of any sender would be rejected because of the limits. */
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
  }

  /**
   * Rejects a request that must not begin now. A drain still answers the next request of each earlier connection, because its client could not know of the
   * drain; `countWork` closes the connection after the answer.
   * @throws Problem `draining`, `overloaded`
   */
  admit({ raw }: FastifyRequest): void {
    if (this.#lateConnections.has(raw.socket)) {
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
   * Counts a request as in work before its sender is known.
   * @throws Problem `overloaded` if too many requests are in work
   */
  begin(request: FastifyRequest): void {
    if (request.countedFor !== null) return;
    if (this.#inFlight >= this.#limits.maxInFlight) this.admit(request);
    this.#count(request, noSender);
  }

  /**
   * Counts a request as in work for its sender. As a sender gets no more places than it leaves free, each other sender always gets some.
   * @throws Problem `too-many-in-progress` if too many requests of the sender are in work; `overloaded` if it has no key
   */
  claim(request: FastifyRequest): void {
    this.begin(request);
    const { sender } = request;
    const others = (this.#bySender.get(sender) ?? 0) - (request.countedFor === sender ? 1 : 0);
    const free = this.#limits.maxInFlight - this.#inFlight + 1;
    if (others >= free) {
      if (sender === noSender) throw this.#refuse(`${others} requests without a key are already in progress`);
      this.#refusedOfSender++;
      throw platformErrors.problem('too-many-in-progress', `${others} requests of the organization are already in progress, and the other ${free} places are for others. Repeat the request after a second.`, { headers: { 'retry-after': '1' } });
    }
    this.#count(request, sender);
  }

  /** Counts a request whose route read the body itself as in work. Such a request is never rejected here, because its body is already processed. */
  beginLate(request: FastifyRequest): void {
    if (request.countedFor === null) this.#count(request, request.sender);
  }

  /** Ends the work on a request. Calling it again has no effect. */
  answered(request: FastifyRequest): void {
    this.#count(request, null);
    if (!request.hasPlace) return;
    request.hasPlace = false;
    this.#turns.leave(request.sender);
  }

  /** Counts a request for a sender, and no longer for another; null for none. */
  #count(request: FastifyRequest, sender: string | null): void {
    const { countedFor: before } = request;
    if (before === sender) return;
    request.countedFor = sender;
    if (before !== null) this.#add(before, -1);
    if (sender !== null) this.#add(sender, 1);
  }

  #add(sender: string, change: 1 | -1): void {
    this.#inFlight += change;
    const count = (this.#bySender.get(sender) ?? 0) + change;
    if (count === 0) this.#bySender.delete(sender);
    else this.#bySender.set(sender, count);
  }

  #refuse(why: string): Problem {
    this.#refused++;
    return platformErrors.problem('overloaded', `The request was not started: ${why}. Repeat the request after a second.`, { headers: { 'retry-after': '1' } });
  }

  /**
   * Rejects requests of new connections from now on. Resolves when all open requests have ended and idle connections have had `drainIdleMs`, or `drainTimeoutMs`
   * after the first call. Connections may send requests until the server is closed, which cuts them off; so call this again just before.
   * @returns number of requests that are still open
   */
  async drain(): Promise<number> {
    this.#drainBegan ??= this.#system.elapsedMs();
    const { drainTimeoutMs, drainIdleMs } = this.#limits;
    for (;;) {
      const passedMs = this.#system.elapsedMs() - this.#drainBegan;
      const isBusy = this.#open > 0 || (this.#earlyConnections > 0 && passedMs < drainIdleMs);
      if (!isBusy || passedMs >= drainTimeoutMs) return this.#open;
      await this.#system.timers.sleep(drainPollMs);
    }
  }
}
