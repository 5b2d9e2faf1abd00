import { once } from 'node:events';
import { Agent, createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/**
 * Responds in place of the target server.
 * @returns false to forward the request instead
 */
export type Meddling = (request: { path: string; body: string }, response: ServerResponse) => boolean | void;

/** Traffic through the proxy, as seen by the client. */
export interface Traffic {
  /** Number of HTTP requests. */
  requests: number;
  /** Number of JSON-RPC calls, including each call of a batch. */
  calls: number;
  /** Number of JSON-RPC calls by method. */
  methods: Readonly<Record<string, number>>;
  /** Bytes to the client, including headers. */
  bytesDown: number;
  bytesUp: number;
}

/** A proxy between a node and one of its servers. */
export interface MeddlingProxy {
  /** URL without a trailing slash. */
  url: string;
  traffic(): Traffic;
  /** Path and arrival time of each request, in ms of performance.now. */
  heard: readonly { path: string; at: number }[];
  /** Returns the number of unanswered requests. */
  underWay(): number;
  /** Applies a handler to every request from now on; null forwards requests again. */
  meddle(meddling: Meddling | null): void;
  close(): Promise<void>;
}

/** Starts a proxy for a server on this machine. */
export async function startMeddlingProxy(target: string): Promise<MeddlingProxy> {
  const agent = new Agent({ keepAlive: true });
  const heard: { path: string; at: number }[] = [];
  const methods: Record<string, number> = {};
  const sockets = new Set<Socket>();
  let meddling: Meddling | null = null;
  const closed = { down: 0, up: 0 };
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
    const at = performance.now();
    void readBody(request).then((body) => {
      const path = request.url ?? '';
      heard.push({ path, at });
      for (const method of methodsOf(body)) methods[method] = (methods[method] ?? 0) + 1;
      if (meddling !== null && meddling({ path, body }, response) !== false) return;
      forward(agent, target, request, body, response);
    }, () => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => {
      sockets.delete(socket);
      closed.down += socket.bytesWritten;
      closed.up += socket.bytesRead;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    traffic: () => ({
      requests: heard.length,
      calls: Object.values(methods).reduce((sum, count) => sum + count, 0),
      methods: { ...methods },
      bytesDown: [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, closed.down),
      bytesUp: [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, closed.up),
    }),
    underWay: () => open,
    meddle: (wanted) => void (meddling = wanted),
    async close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

function forward(agent: Agent, target: string, { method, url, headers }: IncomingMessage, body: string, response: ServerResponse): void {
  const { host: _host, ...others } = headers;
  const asked = ask(`${target}${url ?? ''}`, { method, headers: others, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  asked.on('error', () => response.destroy());
  asked.end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** Returns the JSON-RPC methods in a body; empty for other bodies. */
function methodsOf(body: string): string[] {
  if (!body.includes('"jsonrpc"')) return [];
  try {
    const value = JSON.parse(body) as { method?: string } | { method?: string }[];
    return (Array.isArray(value) ? value : [value]).map(({ method }) => method ?? '');
  } catch {
    return [];
  }
}
