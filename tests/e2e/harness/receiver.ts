import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import type { ReceivedCall } from '@vouch/platform/conformance/context';

/** Handler for the requests to a path. The default response is 204. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on 127.0.0.1 that receives callbacks and records every call. */
export interface Receiver {
  url: string;
  /** IP address and port in the form of VOUCH_ALLOW_PRIVATE_ADDRESSES. */
  address: string;
  received: readonly ReceivedCall[];
  /** Serves a file for GET and HEAD requests to a path from now on. These requests are not recorded. */
  serve(path: string, file: string): void;
  close(): Promise<void>;
}

/**
 * Starts a receiver.
 * @param behaviours handlers by path
 */
export async function startReceiver(behaviours: Readonly<Record<string, Behaviour>> = {}): Promise<Receiver> {
  const received: ReceivedCall[] = [];
  const files = new Map<string, string>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    if (file !== undefined) return sendFile(file, request, response);
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
    serve: (path, file) => void files.set(path, file),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function sendFile(file: string, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-length': statSync(file).size, etag: JSON.stringify(basename(file)) });
  if (request.method === 'HEAD') response.end();
  else createReadStream(file).pipe(response);
}
