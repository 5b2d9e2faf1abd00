import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup, type TrustedProxies } from './clientAddress.ts';

export interface ConnectionLimits {
  /** Connections of one IP address that the server may be waiting for at once; 0 for no bound. */
  maxWaitingPerAddress: number;
  /** The same over all addresses: far below the open files that a process may have. */
  maxWaiting: number;
  /** How long a connection may go without a request, whatever else comes. Longer than the keep-alive timeout. */
  idleTimeoutMs: number;
  /** How long an answer that was handed over may take to be read. */
  unreadTimeoutMs: number;
  /** How long the whole body of a request may take that is not streamed. */
  bodyTimeoutMs: number;
}

/** Why a connection is closed: too many of its IP address, or of all, are waited for; or its time has passed. */
export type GivenUp = 'address' | 'server' | 'late';

/** What is remembered of a connection from its beginning to its end. */
interface Connection {
  /** Who shares a bound with it while no request of it is known; empty for a trusted proxy, whose connections are those of all its clients. */
  group: string;
  /** Whether it has had a request. */
  asked: boolean;
  unanswered: number;
  /** Requests that came before the one before them was answered. */
  pipelined: (() => void)[];
  /** Whether it is about to close: its last answer is on its way. */
  givenUp: boolean;
}

interface Waiting {
  group: string;
  sinceMs: number;
  /** Whether the connection has had an answer. */
  served: boolean;
  /** Refuses the request whose body is waited for; null where no request is. */
  refuse: ((why: GivenUp) => void) | null;
}

/** Requests of one connection that may be unanswered. */
const maxPipelined = 16;

/**
 * The connections that the server waits for: whose next request has not arrived completely. Their number is bounded, by IP address
 * and in all. Over a bound the one that has been waited for longest is closed: a request that is sent takes milliseconds to
 * arrive, so that clients behind the address of an attacker still get through.
 */
export class WaitingConnections {
  readonly #waiting = new Map<Socket, Waiting>();
  readonly #queues = new Map<string, Queue>();
  readonly #everybody = new Queue();
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #limits: ConnectionLimits;
  readonly #lookEveryMs: number;
  readonly #trusted: TrustedProxies;
  /** Counted by `closeLate`, not read from a clock: neither a clock that is set nor a busy server makes a client late. */
  #nowMs = 0;
  /** Connections that were closed, by reason. */
  readonly closed: Record<GivenUp, number> = { address: 0, server: 0, late: 0 };

  /** @param lookEveryMs how often `closeLate` is called */
  constructor(limits: ConnectionLimits, lookEveryMs: number, trusted: TrustedProxies) {
    this.#limits = limits;
    this.#lookEveryMs = lookEveryMs;
    this.#trusted = trusted;
  }

  /** Follows the connections of a server from their beginning to their end. Called before anything else hears of requests. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.beginIdle(socket));
    const [handle] = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
    if (handle === undefined) throw new Error('the server has no handler of requests yet');
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#follow(request.socket, response, () => handle(request, response));
    });
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The server waits for the next request of the connection; nothing happens where more earlier ones are unanswered than those given. */
  beginIdle(socket: Socket, unanswered = 0): void {
    if (socket.destroyed) return;
    const connection = this.#connectionOf(socket);
    if (connection.unanswered <= unanswered) this.#begin(socket, connection.group, null);
  }

  /** The server waits for the body of a request of this client. */
  beginBody(socket: Socket, clientAddress: string | undefined, refuse: (why: GivenUp) => void): void {
    this.#begin(socket, addressGroup(clientAddress), refuse);
  }

  /** The server has what it waited for, or the connection is gone. */
  end(socket: Socket): void {
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) return;
    this.#waiting.delete(socket);
    this.#everybody.delete(socket, waiting.served);
    const queue = this.#queues.get(waiting.group);
    queue?.delete(socket, waiting.served);
    if (queue?.size === 0) this.#queues.delete(waiting.group);
  }

  /** Closes what is waited for in vain: blank lines between requests restart the timeouts of the HTTP parser, and so does each byte of a body. */
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
   * Handles the requests of one connection one after the other: a pipelined request begins when the answer before it has been sent, so a
   * client that does not read its first answer starts no further work. A connection with more than `maxPipelined` is closed.
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
    // Of the first request the answer is yet to come.
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

/** Connections in the order in which they began to be waited for; a set keeps it. */
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
   * The one that has been waited for longest among the strangers or among those that had an answer, whichever are more. So silent
   * strangers do not close connections that clients keep, and kept connections do not close the one that a client opens just now.
   */
  toClose(): Socket | undefined {
    return first(this.#strangers.size > this.#served.size ? this.#strangers : this.#served);
  }
}

function first(sockets: Set<Socket>): Socket | undefined {
  for (const socket of sockets) return socket;
  return undefined;
}
