import { connect, type Socket } from 'node:net';

/** Behaviour of one hostile connection: the text that it writes first, and the text that it writes repeatedly. */
export interface SlowClient {
  /** Written when the connection opens. */
  opening: string;
  /** Written every `everyMs` milliseconds; empty for a client that stops writing. */
  drip: string;
  everyMs: number;
  /** Whether the client reads the responses. */
  reads: boolean;
}

/** Many hostile connections. Each connection is reopened one second after it closes. */
export interface SlowCrowd {
  /** Number of currently open connections. */
  open(): number;
  stop(): void;
}

export interface CrowdOptions {
  port: number;
  count: number;
  /** Loopback IP address of the clients. */
  from: string;
  client: SlowClient;
}

const reconnectMs = 1_000;
/** Connections are opened in portions, so that the benchmark does not measure the machine's queue of new connections. */
const openedAtOnce = 100;
const openEveryMs = 50;

/** Opens the connections and keeps them open until `stop`. */
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
