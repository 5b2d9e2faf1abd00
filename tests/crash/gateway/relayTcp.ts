import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { once } from 'node:events';
import { readConnection } from '@vouch/platform/database/passfile';

/** Passes TCP connections on to a server, for programs on other networks. */
export interface TcpRelay {
  port: number;
  /** Passes nothing on any more, and tells nobody; or goes on. */
  hang(now: boolean): void;
  close(): Promise<void>;
}

/** Listens on an IP address of this machine and passes every connection on. */
export async function relayTcp(host: string, target: NetConnectOpts): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  let hanging = false;
  const server = createServer((from) => {
    const to = connect(target);
    for (const [socket, other] of [[from, to], [to, from]] as const) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('data', (bytes) => {
        if (!hanging) other.write(bytes);
      });
    }
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    hang(now) {
      hanging = now;
      // What was swallowed is missing: these connections are of no use any more.
      if (!now) for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A relay to the PostgreSQL of a connection string. @returns it with the address that leads through it */
export async function relayDatabase(host: string, connection: string): Promise<{ relay: TcpRelay; url: string }> {
  const login = readConnection(connection);
  if (login.connectionString !== undefined) {
    const direct = new URL(login.connectionString);
    const relay = await relayTcp(host, { host: direct.hostname, port: Number(direct.port || '5432') });
    direct.host = `${host}:${relay.port}`;
    return { relay, url: direct.href };
  }
  const password = await (login.password as () => Promise<string>)();
  const relay = await relayTcp(host, { path: `${login.host ?? ''}/.s.PGSQL.5432` });
  return { relay, url: `postgresql://${login.user ?? ''}:${password}@${host}:${relay.port}/${login.database ?? ''}` };
}
