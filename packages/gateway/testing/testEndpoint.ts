import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy in front of a chain's endpoint, for tests. */
export interface TestEndpoint {
  url: string;
  /** Sets the target URL of later requests. */
  to(url: string): void;
  /** If true, the proxy cuts every connection. */
  off: boolean;
  /** Number of contract reads that the proxy has passed on. */
  reads: number;
  close(): void;
}

/** Starts a proxy without a target. */
export async function startEndpoint(): Promise<TestEndpoint> {
  let target = '';
  const server = createServer((incoming, outgoing) => {
    if (endpoint.off) return void incoming.socket.destroy();
    incoming.on('data', (piece: Buffer) => { endpoint.reads += piece.toString().split('"eth_call"').length - 1; });
    const onward = forward(target, { method: incoming.method ?? 'POST', headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endpoint: TestEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    off: false,
    reads: 0,
    to: (url) => { target = url; },
    close: () => { server.closeAllConnections(); server.close(); },
  };
  return endpoint;
}
