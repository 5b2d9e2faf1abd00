import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A file of the server. */
interface ServedFile {
  content: Buffer;
  etag?: string;
  /** Number of bytes to send at once; the server sends the rest after `letGo`. */
  heldAt?: number;
}

/** A test server, by default on 127.0.0.1, that serves media and records every request. Paths without a file accept callbacks. */
export class MediaTestServer {
  readonly url: string;
  /** `host:port`, the form of VOUCH_ALLOW_PRIVATE_ADDRESSES. */
  readonly address: string;
  readonly calls: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  readonly files = new Map<string, ServedFile>();
  private readonly server: Server;
  private held: (() => void)[] = [];

  private constructor(server: Server, host: string) {
    this.server = server;
    this.address = `${host}:${(server.address() as AddressInfo).port}`;
    this.url = `http://${this.address}`;
  }

  static async start(host = '127.0.0.1'): Promise<MediaTestServer> {
    let media: MediaTestServer | null = null;
    const server = createServer((request, response) => void media?.answer(request, response));
    server.listen(0, host);
    await once(server, 'listening');
    media = new MediaTestServer(server, host);
    return media;
  }

  /** Serves a local file at a path. Returns its URL. */
  async serve(path: string, file: string, more: Omit<ServedFile, 'content'> = {}): Promise<string> {
    this.files.set(path, { content: await readFile(file), ...more });
    return this.url + path;
  }

  /** Number of requests to a path with a method. */
  count(method: string, path: string): number {
    return this.calls.filter((call) => call.method === method && call.path === path).length;
  }

  /** Sends the rest of all held answers. */
  letGo(): void {
    for (const send of this.held.splice(0)) send();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    this.calls.push({ method, path, headers, body: Buffer.concat(parts).toString('utf8') });
    const file = this.files.get(path);
    if (file === undefined) return void response.writeHead(method === 'POST' ? 204 : 404).end();
    const { content, etag, heldAt } = file;
    response.writeHead(200, { 'content-length': content.length, ...(etag === undefined ? {} : { etag }) });
    if (method === 'HEAD') return void response.end();
    if (heldAt === undefined) return void response.end(content);
    response.write(content.subarray(0, heldAt));
    this.held.push(() => response.end(content.subarray(heldAt)));
  }
}
