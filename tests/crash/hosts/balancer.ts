import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const checkMs = 500;
const checkTimeoutMs = 2_000;
/** Checks in a row without an answer after which a backend counts as dead. On a busy machine, one check can take longer than its time. */
const deadAfterChecks = 2;

/** Address of a server behind the balancer. */
export interface Backend {
  host: string;
  port: number;
}

/** A load balancer for TCP as production has one: it hands each connection to a backend whose `/readyz` answered 200 lately, in turns. */
export interface Balancer {
  port: number;
  /** Backends that would get a connection now. */
  ready(): readonly Backend[];
  /** Gives a backend no further connections until `admit`, as an operator does before an update. Open connections stay. */
  withdraw(backend: Backend): void;
  admit(backend: Backend): void;
  close(): Promise<void>;
}

/**
 * Starts a balancer on 127.0.0.1. A backend that answers that it is not ready keeps its connections, so that it can finish its requests. The
 * connections to a backend that does not answer are closed, because their packets may be lost.
 */
export async function startBalancer(backends: readonly Backend[]): Promise<Balancer> {
  const connections = new Map<Backend, Set<Socket>>(backends.map((backend) => [backend, new Set()]));
  const readyOnes = new Set<Backend>();
  const withdrawn = new Set<Backend>();
  const stop = new AbortController();
  let turn = 0;

  async function check(backend: Backend): Promise<void> {
    let silent = 0;
    while (!stop.signal.aborted) {
      const url = `http://${backend.host}:${backend.port}/readyz`;
      const isReady = await fetch(url, { signal: AbortSignal.timeout(checkTimeoutMs) })
        .then(({ ok }) => ok, (error: Error) => (error.name === 'TimeoutError' ? null : false));
      silent = isReady === null ? silent + 1 : 0;
      if (isReady === true && !withdrawn.has(backend)) readyOnes.add(backend);
      if (isReady === false || silent >= deadAfterChecks) readyOnes.delete(backend);
      if (silent >= deadAfterChecks) for (const socket of connections.get(backend) ?? []) socket.destroy();
      await sleep(checkMs);
    }
  }

  const server = createServer((from) => {
    const choices = [...readyOnes];
    const backend = choices[turn++ % Math.max(1, choices.length)];
    if (backend === undefined) return void from.destroy();
    const to = connect(backend);
    for (const [socket, other] of [[from, to], [to, from]] as const) {
      connections.get(backend)?.add(socket);
      socket.on('error', () => {}).on('close', () => {
        connections.get(backend)?.delete(socket);
        // After what it still has to write.
        other.destroySoon();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const checks = backends.map(check);
  return {
    port: (server.address() as { port: number }).port,
    ready: () => [...readyOnes],
    withdraw(backend) {
      withdrawn.add(backend);
      readyOnes.delete(backend);
    },
    admit: (backend) => void withdrawn.delete(backend),
    async close() {
      stop.abort();
      for (const sockets of connections.values()) for (const socket of sockets) socket.destroy();
      server.close();
      await Promise.all([once(server, 'close'), ...checks]);
    },
  };
}
