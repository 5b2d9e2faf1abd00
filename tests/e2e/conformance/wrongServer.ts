import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InHouse } from '@vouch/platform/conformance/context';

/** A request that the proxy forwards to the server. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A response that the proxy forwards to the client. */
export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** One way in which a server, its callbacks or its programs are wrong. Each function returns whether it changed anything. */
export interface Wrong {
  /** Description of the fault. */
  name: string;
  request?(asked: Asked): boolean;
  /** Responds without forwarding the request. */
  instead?(asked: Asked): Answered | null;
  answer?(answered: Answered, asked: Asked): boolean;
  inHouse?(inHouse: InHouse, changed: () => void): InHouse;
  /** Changes the environment before the check. Returns a function that restores the environment. */
  world?(): Promise<() => Promise<void>>;
}

/** A proxy in front of the server that can apply a fault. */
export interface Proxy {
  url: string;
  /** URL of the server that receives the requests. */
  target: string;
  wrong: Wrong | null;
  /** Number of changed requests and responses. */
  changes: number;
  close(): Promise<void>;
}

export async function startProxy(): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
      const url = new URL(incoming.url ?? '/', proxy.url);
      const asked: Asked = { method: incoming.method ?? 'GET', path: url.pathname, query: url.searchParams, headers: { ...incoming.headers }, body: Buffer.concat(parts) };
      void answerOf(asked).then(
        ({ status, headers, body }) => outgoing.writeHead(status, { ...headers, 'content-length': asked.method === 'HEAD' ? headers['content-length'] : body.length }).end(body),
        () => outgoing.destroy(),
      );
    });
  });
  const answerOf = async (asked: Asked): Promise<Answered> => {
    const { wrong } = proxy;
    if (wrong?.request?.(asked) === true) proxy.changes += 1;
    const instead = wrong?.instead?.(asked) ?? null;
    if (instead !== null) proxy.changes += 1;
    const answered = instead ?? (await forward(proxy.target, asked));
    if (wrong?.answer?.(answered, asked) === true) proxy.changes += 1;
    return answered;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, target: '', wrong: null, changes: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host', 'content-encoding', 'accept-encoding'];

function forward(target: string, { method, path, query, headers, body }: Asked): Promise<Answered> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)));
  const url = `${target}${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...sent, ...(body.length === 0 ? {} : { 'content-length': body.length }) }, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part)).on('error', reject).on('end', () => {
        const kept = Object.entries(answer.headers).filter(([name]) => !['connection', 'keep-alive', 'transfer-encoding'].includes(name));
        resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(kept), body: Buffer.concat(parts) });
      });
    });
    outgoing.on('error', reject).end(body);
  });
}
