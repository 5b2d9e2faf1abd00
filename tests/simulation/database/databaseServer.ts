import type { Client, QueryResult } from 'pg';
import type { Simulation } from '../kernel/simulation.ts';
import { startMs } from '../kernel/simulation.ts';
import type { ServerConnection } from './serverConnection.ts';
import { openClient } from './simulatedTables.ts';

export type Outcome = { result: QueryResult } | { error: Error };

interface Waiting {
  connection: ServerConnection;
  outcome: Promise<Outcome>;
  changes: (outcome: Outcome) => boolean;
  answered: (outcome: Outcome) => void;
}

/** A notification of PostgreSQL after a commit. */
export interface Notification {
  channel: string;
  payload: string;
}

/** Time in ms, of the machine, after which a statement without an answer is checked for whether it waits for a lock. */
const slowMs = 2;

/**
 * A real PostgreSQL whose statements run one at a time, in simulated order. A statement that waits for a lock waits in simulated time too: the server
 * continues with the statements of other connections until one of them releases the lock.
 */
export class DatabaseServer {
  readonly simulation: Simulation;
  readonly #url: string;
  readonly #control: Client;
  readonly #free: Client[] = [];
  readonly #all: Client[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #channels = new Set<string>();
  readonly #connections = new Set<ServerConnection>();
  #heard: Notification[] = [];
  /** Difference in ms of the database's clock from simulated time. */
  clockStepMs = 0;
  lastClockStepAtMs = Number.NEGATIVE_INFINITY;
  /** Until this simulated time, the server refuses connections. */
  awayUntilMs = 0;
  statements = 0;
  /** Called after each change that was committed, with the processes that may have made the change, and their connections. */
  inspect: (control: Client, actors: readonly string[], connections: readonly ServerConnection[]) => Promise<void> = async () => {};
  /** Changes of these statements are not inspected. */
  uninspected = /^$/;
  /** Called when a process lets the server end a connection. */
  terminated: (connection: ServerConnection, by: string) => void = () => {};
  /** Called for each notification. */
  notify: (notification: Notification) => void = () => {};

  private constructor(simulation: Simulation, url: string, control: Client) {
    this.simulation = simulation;
    this.#url = url;
    this.#control = control;
    control.on('notification', ({ channel, payload }) => this.#heard.push({ channel, payload: payload ?? '' }));
  }

  /** @param url connection URL of a database that `simulatedTables.ts` prepared */
  static async open(simulation: Simulation, url: string): Promise<DatabaseServer> {
    return new DatabaseServer(simulation, url, await openClient(url));
  }

  /** Time of the database's clock in ms since 1970. */
  get clockMs(): number {
    return startMs + this.simulation.nowMs + this.clockStepMs;
  }

  get isAway(): boolean {
    return this.awayUntilMs > this.simulation.nowMs;
  }

  get control(): Client {
    return this.#control;
  }

  async listen(channel: string): Promise<void> {
    if (this.#channels.has(channel)) return;
    this.#channels.add(channel);
    await this.#control.query(`LISTEN "${channel}"`);
  }

  /** Lends a connection of the real server; `takeBack` returns it. */
  async lend(): Promise<Client> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const client = await openClient(this.#url);
    this.#all.push(client);
    return client;
  }

  add(connection: ServerConnection): void {
    this.#connections.add(connection);
  }

  /** Takes back the client of a connection that has ended: ends its statement and its transaction, and releases its locks. */
  async takeBack(connection: ServerConnection, client: Client): Promise<void> {
    this.#connections.delete(connection);
    const at = this.#waiting.findIndex((each) => each.connection === connection);
    if (at >= 0) {
      const [cut] = this.#waiting.splice(at, 1);
      await this.#control.query('SELECT pg_cancel_backend($1)', [processIdOf(client)]);
      await cut!.outcome;
      cut!.answered({ error: terminated() });
    }
    await client.query('ROLLBACK; SELECT pg_advisory_unlock_all(); RESET ALL');
    this.#free.push(client);
    await this.#settle([]);
  }

  /** Loses all connections, as a restart of the server does. */
  async restart(awayMs: number): Promise<void> {
    this.awayUntilMs = this.simulation.nowMs + awayMs;
    for (const connection of this.#connections) await connection.cut();
  }

  /** Ends connections as `pg_terminate_backend` does. */
  async terminate(processIds: readonly number[], by: string): Promise<void> {
    for (const connection of [...this.#connections].filter(({ processId }) => processIds.includes(processId))) {
      this.simulation.story.tell(by, `ends a connection of ${connection.owner}`);
      this.terminated(connection, by);
      await connection.cut();
    }
  }

  /**
   * Runs a statement; `answered` is called once its outcome is known, now or after a later statement has released a lock.
   * @param changes whether an outcome makes a change visible to other connections
   */
  async execute(connection: ServerConnection, run: () => Promise<Outcome>, changes: Waiting['changes'], answered: Waiting['answered']): Promise<void> {
    this.statements += 1;
    const running = run();
    const waiting: Waiting = { connection, outcome: running, changes, answered };
    if (await this.#isBlocked(waiting)) {
      this.#waiting.push(waiting);
      return;
    }
    const outcome = await running;
    answered(outcome);
    await this.#settle(changes(outcome) ? [connection] : []);
  }

  async close(): Promise<void> {
    await Promise.all([this.#control, ...this.#all].map((client) => client.end()));
  }

  /** Lets waiting statements continue whose locks were released, inspects what was committed, and passes on notifications. */
  async #settle(connections: ServerConnection[]): Promise<void> {
    for (let found = true; found;) {
      found = false;
      for (const waiting of this.#waiting.slice()) {
        if (await this.#isBlocked(waiting)) continue;
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        const outcome = await waiting.outcome;
        waiting.answered(outcome);
        if (waiting.changes(outcome)) connections.push(waiting.connection);
        found = true;
      }
    }
    if (connections.length === 0) return;
    // PostgreSQL sends pending notifications before it completes the answer to this query, so their order is the same in each run.
    await this.inspect(this.#control, connections.map(({ owner }) => owner), connections);
    for (const notification of this.#heard.splice(0)) this.notify(notification);
  }

  /** Resolves when the statement has either ended or waits for a lock of another connection. */
  async #isBlocked({ connection, outcome }: Waiting): Promise<boolean> {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const ended = await Promise.race([
        outcome.then(() => true),
        new Promise<boolean>((resolve) => { timer = setTimeout(resolve, slowMs, false); }),
      ]);
      clearTimeout(timer);
      if (ended) return false;
      const { rows } = await this.#control.query<{ blocked: boolean }>('SELECT cardinality(pg_blocking_pids($1)) > 0 AS blocked', [connection.processId]);
      if (rows[0]?.blocked === true) return true;
    }
  }
}

/** The error of pg for a lost connection. */
export function terminated(): Error {
  return new Error('Connection terminated unexpectedly');
}

/** Returns the server's process id of a connection. */
export function processIdOf(client: Client): number {
  return (client as unknown as { processID: number }).processID;
}
