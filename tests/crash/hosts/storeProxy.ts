import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';

/** An HTTP proxy to an S3-compatible store, for programs in other networks. */
export interface StoreProxy {
  port: number;
  /** True: answers each request with 503 `SlowDown`, as S3 does when it gets too many. False: forwards again. */
  refuse(now: boolean): void;
  /** Number of requests that were refused. */
  refused(): number;
  close(): Promise<void>;
}

const slowDown = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';

/** Listens on an IP address of this machine. Headers stay as they are, because the signature of a request includes its host. */
export async function startStoreProxy(host: string, target: URL): Promise<StoreProxy> {
  let refusing = false;
  let refused = 0;
  const forward = (from: IncomingMessage, answer: ServerResponse): void => {
    const { method, url, rawHeaders } = from;
    const to = request({ host: target.hostname, port: target.port, method, path: url, headers: rawHeaders, setHost: false }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
      pipeline(reply, answer, () => {});
    });
    to.on('error', () => answer.destroy());
    pipeline(from, to, (error) => { if (error) to.destroy(); });
  };
  const server = createServer((from, answer) => {
    if (!refusing) return forward(from, answer);
    refused++;
    from.resume();
    answer.writeHead(503, { 'content-type': 'application/xml', connection: 'close' }).end(slowDown);
  });
  server.on('checkContinue', (from: IncomingMessage, answer: ServerResponse) => {
    if (!refusing) answer.writeContinue();
    server.emit('request', from, answer);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    refuse(now) { refusing = now; },
    refused: () => refused,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
