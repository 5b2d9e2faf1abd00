import { connect, type Socket } from 'node:net';

/** What one hostile connection does: what it writes when it opens, and what it writes again and again. */
export interface SlowClient {
  /** Written at once. */
  opening: string;
  /** Written every `everyMs`; empty for a client that falls silent. */
  drip: string;
  everyMs: number;
  /** Whether it reads what it is sent. */
  reads: boolean;
}

/** Many of them, each opened again a second after it was closed. */
export interface SlowCrowd {
  /** Connections that are open now. */
  open(): number;
  stop(): void;
}

export interface CrowdOptions {
  port: number;
  count: number;
  /** Loopback address that the connections come from. */
  from: string;
  client: SlowClient;
}

const reconnectMs = 1_000;
/** Opened in portions, so that the machine's queue of new connections is not what is measured. */
const openedAtOnce = 100;
const openEveryMs = 50;

/** Opens the crowd; it ends with `stop`. */
export function startCrowd({ port, count, from, client }: CrowdOptions): SlowCrowd {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;
  const later = (work: () => void, milliseconds: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!stopped) work();
    }, milliseconds);
    timers.add(timer);
  };
  const openOne = (): void => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    const dripping = setInterval(() => client.drip !== '' && socket.writable && socket.write(client.drip), client.everyMs);
    socket.on('connect', () => {
      sockets.add(socket);
      socket.write(client.opening);
      if (client.reads) socket.resume();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(dripping);
      sockets.delete(socket);
      if (!stopped) later(openOne, reconnectMs);
    });
    if (!client.reads) socket.pause();
    all.add(socket);
    socket.once('close', () => all.delete(socket));
  };
  const all = new Set<Socket>();
  for (let opened = 0; opened < count; opened += openedAtOnce) {
    later(() => { for (let one = 0; one < Math.min(openedAtOnce, count - opened); one++) openOne(); }, (opened / openedAtOnce) * openEveryMs);
  }
  return {
    open: () => sockets.size,
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      for (const socket of all) socket.destroy();
    },
  };
}
