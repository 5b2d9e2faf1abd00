import { Agent, type ClientRequest } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Timers } from '../process/systemInterfaces.ts';
import { connectNowhere, type Connect, type ConnectOptions } from './connectGuarded.ts';

/** Time limit in ms for name lookup, TCP and TLS together. */
const connectTimeoutMs = 10_000;
/** Time limit in ms per IP address of a host name, before the next one is tried. */
const attemptTimeoutMs = 2_500;
/** Idle connections are closed after 4 s, or one second before the time in the server's Keep-Alive header. */
const maxIdleMs = 4_000;
const idleMarginMs = 1_000;

/** PEM files of a TLS connection: trusted certificate authorities, and a client certificate with its key. */
export interface TlsOptions {
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
}

export interface AgentOptions {
  /** Upper bound for open connections per origin; further requests wait for a free connection. */
  connectionsPerOrigin: number;
  /**
   * Whether connections are reused. Must be false for untrusted servers: on a reused connection, a server can send the answer to a request that it
   * has not yet received.
   */
  keep: boolean;
  /** Wraps the function that opens sockets. */
  guard?: (connect: Connect) => Connect;
  /** Default: Node's certificate authorities, and no client certificate. */
  tls?: TlsOptions | undefined;
}

/** An agent of node:http, with functions that its documentation allows to replace but that Node's types omit. */
type Pool = Agent & {
  createConnection(options: ConnectOptions): Socket;
  keepSocketAlive(socket: KeptSocket): boolean;
  reuseSocket(socket: Socket, request: ClientRequest): void;
};

type KeptSocket = Socket & { _httpMessage?: { res?: { headers: Record<string, string | undefined> } } };

/** One agent per scheme. */
export interface Agents {
  for(protocol: string): Agent;
  /** Closes all connections; later requests fail. */
  close(): void;
}

/** Creates agents for http: and https: with a limited number of connections. */
export function openAgents({ connectionsPerOrigin, keep, guard = (connect) => connect, tls = {} }: AgentOptions, timers: Timers): Agents {
  let closed = false;
  const bounds = { keepAlive: keep, maxSockets: connectionsPerOrigin, maxFreeSockets: connectionsPerOrigin };
  const build = (agent: Agent, opened: 'connect' | 'secureConnect'): Agent => {
    const pool = agent as Pool;
    const open: Connect = pool.createConnection.bind(pool);
    const connect = guard(open);
    pool.createConnection = (options) => {
      const given = { ...options, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: attemptTimeoutMs };
      const socket = closed ? connectNowhere(open, given, new Error('the connections are closed')) : connect(given);
      // Between two requests, Node has no error listener on the socket, so an error would end the process. Node handles the socket's 'close' event.
      socket.on('error', () => {});
      limitConnecting(socket, opened, timers);
      return socket;
    };
    if (keep) keepQuiet(pool);
    return agent;
  };
  const [plain, secure] = [build(new Agent(bounds), 'connect'), build(new SecureAgent({ ...bounds, ...tls }), 'secureConnect')];
  return {
    for: (protocol) => (protocol === 'https:' ? secure : plain),
    close() {
      closed = true;
      plain.destroy();
      secure.destroy();
    },
  };
}

function limitConnecting(socket: Socket, opened: string, timers: Timers): void {
  const done = new AbortController();
  socket.once(opened, () => done.abort(null));
  socket.once('close', () => done.abort(null));
  void timers.sleep(connectTimeoutMs, done.signal, false).then(() => {
    if (!done.signal.aborted) socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
  });
}

/**
 * Closes an idle connection before its server does, and closes it if unrequested data arrives, because the next answer would begin with this data.
 */
function keepQuiet(pool: Pool): void {
  const end = function (this: Socket): void {
    this.destroy();
  };
  const reuse = pool.reuseSocket.bind(pool);
  pool.keepSocketAlive = (socket) => {
    const hint = /\btimeout=(\d+)/.exec(socket._httpMessage?.res?.headers['keep-alive'] ?? '')?.[1];
    const idleMs = Math.min(maxIdleMs, hint === undefined ? maxIdleMs : Number(hint) * 1000 - idleMarginMs);
    if (idleMs <= 0) return false;
    socket.setTimeout(idleMs);
    socket.unref();
    socket.on('data', end);
    return true;
  };
  pool.reuseSocket = (socket, request) => {
    socket.setTimeout(0);
    socket.off('data', end);
    reuse(socket, request);
  };
}
