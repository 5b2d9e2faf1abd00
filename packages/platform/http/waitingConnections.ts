import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup, type TrustedProxies } from './clientAddress.ts';

export interface ConnectionLimits {
  /** Upper bound for connections of one IP address (IPv6: one /64) that the server waits for at once; 0 for no limit. */
  maxWaitingPerAddress: number;
  /** The same for all IP addresses together. Must be far below the number of files that a process may open. */
  maxWaiting: number;
  /** Time in ms that a connection may remain without a request, whatever else it sends. Longer than the keep-alive timeout. */
  idleTimeoutMs: number;
  /** Time in ms within which a client must read an answer. */
  unreadTimeoutMs: number;
  /** Time in ms within which the whole body of a request must arrive, if it is not streamed. */
  bodyTimeoutMs: number;
}

/** Reason for closing a connection: too many waiting connections of its IP address (`address`) or in all (`server`), or its time is over (`late`). */
export type GivenUp = 'address' | 'server' | 'late';

/** State of a connection for its whole life. */
interface Connection {
  /**
   * IP address or /64 whose limit applies while no request of the connection is known. Empty for a trusted proxy, whose connections carry requests of
   * all its clients.
   */
  group: string;
  /** Whether the connection has had a request. */
  asked: boolean;
  unanswered: number;
  /** Requests that arrived before the previous one was answered. */
  pipelined: (() => void)[];
  /** Whether the connection is about to close: its last answer is being sent. */
  givenUp: boolean;
}

interface Waiting {
  group: string;
  sinceMs: number;
  /** Whether the connection has had an answer. */
  served: boolean;
  /** Rejects the request whose body the server waits for; null if the server waits for a new request. */
  refuse: ((why: GivenUp) => void) | null;
}

/** Upper bound for unanswered requests of one connection. */
const maxPipelined = 16;

/**
 * The connections that the server waits for, i.e. whose next request has not arrived completely. Their number is limited per IP address and in all.
 * Over a limit, the connection that has waited longest is closed. A request of an honest client arrives within milliseconds, so clients behind the
 * same IP address as an attacker still get through.
 */
export class WaitingConnections {
  readonly #waiting = new Map<Socket, Waiting>();
  readonly #queues = new Map<string, Queue>();
  readonly #everybody = new Queue();
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #limits: ConnectionLimits;
  readonly #lookEveryMs: number;
  readonly #trusted: TrustedProxies;
  /**
   * Time in ms, advanced by each call of `closeLate` instead of read from a clock, so that neither a clock change nor a busy server makes a client
   * late.
   */
  #nowMs = 0;
  /** Number of closed connections, by reason. */
  readonly closed: Record<GivenUp, number> = { address: 0, server: 0, late: 0 };

  /** @param lookEveryMs interval in ms at which `closeLate` is called */
  constructor(limits: ConnectionLimits, lookEveryMs: number, trusted: TrustedProxies) {
    this.#limits = limits;
    this.#lookEveryMs = lookEveryMs;
    this.#trusted = trusted;
  }

  /** Follows all connections of a server. Must be called before other code listens to requests. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.beginIdle(socket));
    const [handle] = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
    if (handle === undefined) throw new Error('the server has no request handler yet');
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#follow(request.socket, response, () => handle(request, response));
    });
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Marks a connection as waiting for its next request. Does nothing if more than `unanswered` earlier requests are still unanswered. */
  beginIdle(socket: Socket, unanswered = 0): void {
    if (socket.destroyed) return;
    const connection = this.#connectionOf(socket);
    if (connection.unanswered <= unanswered) this.#begin(socket, connection.group, null);
  }

  /** Marks a connection as waiting for the body of a request of this client. */
  beginBody(socket: Socket, clientAddress: string | undefined, refuse: (why: GivenUp) => void): void {
    this.#begin(socket, addressGroup(clientAddress), refuse);
  }

  /** Removes a connection from the waiting ones, because the request arrived or the connection closed. */
  end(socket: Socket): void {
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) return;
    this.#waiting.delete(socket);
    this.#everybody.delete(socket, waiting.served);
    const queue = this.#queues.get(waiting.group);
    queue?.delete(socket, waiting.served);
    if (queue?.size === 0) this.#queues.delete(waiting.group);
  }

  /**
   * Closes connections whose time is over. The timeouts of the HTTP parser are not enough: blank lines between requests restart them, and so does
   * each byte of a body.
   */
  closeLate(): void {
    const now = this.#nowMs += this.#lookEveryMs;
    const { bodyTimeoutMs, idleTimeoutMs, unreadTimeoutMs } = this.#limits;
    const shortestMs = Math.min(bodyTimeoutMs, idleTimeoutMs);
    for (const [socket, { sinceMs, refuse }] of this.#waiting) {
      if (now - sinceMs < shortestMs) return;
      const allowedMs = refuse !== null ? bodyTimeoutMs : socket.writableLength > 0 ? unreadTimeoutMs : idleTimeoutMs;
      if (now - sinceMs >= allowedMs) this.#close(socket, 'late');
    }
  }

  /**
   * Handles the requests of one connection one after the other: a pipelined request begins when the previous answer has been sent, so a client that
   * does not read its first answer causes no further work. A connection with more than `maxPipelined` unanswered requests is closed.
   */
  #follow(socket: Socket, response: ServerResponse, handle: () => void): void {
    const connection = this.#connectionOf(socket);
    if (connection.unanswered >= maxPipelined) socket.destroy();
    if (socket.destroyed) return;
    connection.asked = true;
    response.once('close', () => {
      connection.unanswered--;
      const next = connection.pipelined.shift();
      if (next !== undefined && !socket.destroyed) next();
      else if (!this.#waiting.has(socket)) this.beginIdle(socket);
    });
    if (connection.unanswered++ === 0) handle();
    else connection.pipelined.push(handle);
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const address = socket.remoteAddress ?? '';
    const connection = { group: this.#trusted(address) ? '' : addressGroup(address), asked: false, unanswered: 0, pipelined: [], givenUp: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.end(socket));
    return connection;
  }

  #begin(socket: Socket, group: string, refuse: Waiting['refuse']): void {
    const connection = this.#connectionOf(socket);
    if (connection.givenUp) return;
    this.end(socket);
    // Not `served` while the first request's body is awaited, because the first request has no answer yet.
    const served = refuse === null && connection.asked;
    this.#waiting.set(socket, { group, sinceMs: this.#nowMs, served, refuse });
    this.#everybody.add(socket, served);
    if (this.#everybody.size > this.#limits.maxWaiting) this.#close(this.#everybody.toClose(), 'server');
    if (group === '' || this.#limits.maxWaitingPerAddress === 0) return;
    let queue = this.#queues.get(group);
    if (queue === undefined) this.#queues.set(group, queue = new Queue());
    queue.add(socket, served);
    if (queue.size > this.#limits.maxWaitingPerAddress) this.#close(queue.toClose(), 'address');
  }

  #close(socket: Socket | undefined, why: GivenUp): void {
    const waiting = socket === undefined ? undefined : this.#waiting.get(socket);
    if (socket === undefined || waiting === undefined) return;
    this.end(socket);
    this.#connectionOf(socket).givenUp = true;
    this.closed[why]++;
    if (waiting.refuse === null) socket.destroy();
    else waiting.refuse(why);
  }
}

/** Connections in the order in which the server began to wait for them. A Set keeps this order. */
class Queue {
  readonly #strangers = new Set<Socket>();
  readonly #served = new Set<Socket>();

  get size(): number {
    return this.#strangers.size + this.#served.size;
  }

  add(socket: Socket, served: boolean): void {
    (served ? this.#served : this.#strangers).add(socket);
  }

  delete(socket: Socket, served: boolean): void {
    (served ? this.#served : this.#strangers).delete(socket);
  }

  /**
   * Returns the connection that has waited longest, among those without an answer or those with one, whichever are more. So connections that never
   * sent a request do not displace kept-alive connections, and kept-alive connections do not displace a new one.
   */
  toClose(): Socket | undefined {
    return first(this.#strangers.size > this.#served.size ? this.#strangers : this.#served);
  }
}

function first(sockets: Set<Socket>): Socket | undefined {
  for (const socket of sockets) return socket;
  return undefined;
}
