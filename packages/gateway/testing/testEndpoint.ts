import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy in front of a chain's endpoint, for tests. */
export interface TestEndpoint {
  url: string;
  /** Sets the target URL of later requests. */
  to(url: string): void;
  /** If true, the proxy cuts every connection. */
  off: boolean;
  /** If set, the block that the endpoint returns as the newest one. */
  newest: number | null;
  /** Number of contract reads that the proxy has passed on. */
  reads: number;
  close(): void;
}

/** Starts a proxy without a target. */
export async function startEndpoint(): Promise<TestEndpoint> {
  let target = '';
  const server = createServer((incoming, outgoing) => {
    if (endpoint.off) return void incoming.socket.destroy();
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => {
      const asked = Buffer.concat(pieces).toString();
      endpoint.reads += asked.split('"eth_call"').length - 1;
      const text = endpoint.newest === null ? asked : asked.replaceAll('"latest"', `"0x${endpoint.newest.toString(16)}"`);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const onward = forward(target, { method: incoming.method ?? 'POST', headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      onward.end(text);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endpoint: TestEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    off: false,
    newest: null,
    reads: 0,
    to: (url) => { target = url; },
    close: () => { server.closeAllConnections(); server.close(); },
  };
  return endpoint;
}
