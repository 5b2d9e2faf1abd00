import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { once } from 'node:events';
import { parseConnection } from '@vouch/platform/database/passfile';

/** A TCP proxy to a server, for programs on other networks. */
export interface TcpRelay {
  port: number;
  /** True: forwards nothing from now on, without closing connections. False: forwards again. */
  hang(now: boolean): void;
  /** Connects to another server from now on, and closes all connections. */
  moveTo(target: NetConnectOpts): void;
  close(): Promise<void>;
}

/** Listens on an IP address of this machine and forwards every connection. */
export async function relayTcp(host: string, first: NetConnectOpts): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  let target = first;
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
      // Closes existing connections, because bytes are missing in them.
      if (!now) for (const socket of sockets) socket.destroy();
    },
    moveTo(next) {
      target = next;
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Starts a relay to the PostgreSQL server of a connection string.
 * @returns the relay, and the connection URL through the relay
 */
export async function relayDatabase(host: string, connection: string): Promise<{ relay: TcpRelay; url: string }> {
  const login = parseConnection(connection);
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
