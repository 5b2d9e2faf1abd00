import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceivedCall } from '@vouch/platform/product/product';

/** How a receiver answers a path; without one it answers 204. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on 127.0.0.1 that notes every call, as the receiver of callbacks. */
export interface Receiver {
  url: string;
  /** As VOUCH_ALLOW_PRIVATE_ADDRESSES names it. */
  address: string;
  received: readonly ReceivedCall[];
  close(): Promise<void>;
}

/** Starts a receiver; `behaviours` by path. */
export async function startReceiver(behaviours: Readonly<Record<string, Behaviour>> = {}): Promise<Receiver> {
  const received: ReceivedCall[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text)).on('end', () => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, body });
      const behave = behaviours[path];
      if (behave === undefined) response.writeHead(204).end();
      else behave(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${address}`,
    address,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
