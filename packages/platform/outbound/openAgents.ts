import { Agent, type ClientRequest } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Timers } from '../process/doors.ts';
import { connectNowhere, type Connect, type ConnectOptions } from './connectGuarded.ts';

/** Time for name lookup, TCP and TLS. */
const connectTimeoutMs = 10_000;
/** Time for one of several addresses of a name, before the next is tried. */
const attemptTimeoutMs = 2_500;
/** How long a connection without a request is kept, and how much shorter than its server says. */
const maxIdleMs = 4_000;
const idleMarginMs = 1_000;

/** PEM files of a connection: who may have signed the server's certificate, and a certificate of ours with its key. */
export interface TlsOptions {
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
}

export interface AgentOptions {
  /** Open connections to one origin; more requests wait for one. */
  connectionsPerOrigin: number;
  /**
   * Whether a connection serves further requests. Not where the server is a stranger's: on a kept connection it can send the answer to
   * a request that it has not seen yet.
   */
  keep: boolean;
  /** Stands before what really opens sockets. */
  guard?: (connect: Connect) => Connect;
  /** The authorities that Node trusts, and no certificate of ours, unless given. */
  tls?: TlsOptions | undefined;
}

/** Agents of node:http with what their documentation lets be replaced, and the types of Node leave out. */
type Pool = Agent & {
  createConnection(options: ConnectOptions): Socket;
  keepSocketAlive(socket: KeptSocket): boolean;
  reuseSocket(socket: Socket, request: ClientRequest): void;
};

type KeptSocket = Socket & { _httpMessage?: { res?: { headers: Record<string, string | undefined> } } };

export interface Agents {
  for(protocol: string): Agent;
  /** Ends every connection; later requests fail. */
  close(): void;
}

/** Agents for http: and https:, within bounds. */
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
      // Between two requests Node listens to no error of a socket, which would end the process; its 'close' says enough.
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

/** Keeps a connection shorter than its server does, and none on which something comes that nobody asked for: the next answer would begin with it. */
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
