import { connect, type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import type { Identity } from '../keys/identity.ts';
import { isScope } from '../keys/scopes.ts';
import { createServer, type ServerOptions } from '../http/server.ts';

/** Authenticates keys of the form `<organization>:<scope>,<scope>`. */
async function authenticateByName(key: string): Promise<Identity | null> {
  const colon = key.indexOf(':');
  return colon < 0 ? null : { organizationId: key.slice(0, colon), keyId: key, scopes: key.slice(colon + 1).split(',').filter(isScope) };
}

export interface TestServer {
  server: Awaited<ReturnType<typeof createServer>>;
  url: string;
  port: number;
}

/** Starts a server for tests on a free loopback port. Close it with `server.close()`. */
export async function startTestServer(database: Database, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const server = await createServer({
    system: systemInterfaces,
    log: createLogger('silent'),
    database,
    metrics: new Registry(),
    publicUrl: 'http://vouch.test',
    version: '0.0.0',
    authenticate: authenticateByName,
    rateLimitPerMinute: 0,
    readiness: [],
    errors: [],
    routes: [],
    ...options,
    // A machine that runs other tests can be slow: the delay of the event loop has no limit, and requests may arrive slowly.
    limits: { maxEventLoopDelayMs: 0, headersTimeoutMs: 240_000, bodyTimeoutMs: 240_000, bodyIdleTimeoutMs: 240_000, ...options.limits },
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, url, port: (server.server.address() as AddressInfo).port };
}

/** Sends bytes over a new connection and resolves with all received data when the server ends the connection. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<{ text: string; reset: boolean }> {
  return new Promise((resolve) => {
    let text = '';
    let reset = false;
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => { text += chunk; });
    socket.on('error', () => { reset = true; });
    socket.on('close', () => resolve({ text, reset }));
  });
}

/** Parses status, headers and problem of a raw answer. */
export function parseAnswer(text: string): { status: number; head: string; body: Record<string, unknown> } {
  const split = text.indexOf('\r\n\r\n');
  const head = text.slice(0, split).toLowerCase();
  return { status: Number(text.slice(9, 12)), head, body: JSON.parse(text.slice(split + 4)) as Record<string, unknown> };
}
