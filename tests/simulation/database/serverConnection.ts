import type { Client, QueryResult } from 'pg';
import type { SimulatedProcess } from '../kernel/simulatedProcess.ts';
import { processIdOf, terminated, type DatabaseServer, type Outcome } from './databaseServer.ts';

/** Faults that the next statement of a process meets. `done`: the statement took effect, but the answer was lost. `not`: it had no effect. */
export interface PlannedFaults {
  commit: 'done' | 'not' | null;
  statement: 'done' | 'not' | null;
  /** Until this simulated time in ms, nothing passes between the process and the database; then it does. */
  cutOffUntilMs: number;
}

/** Time in ms after which the server ends a transaction without statements, as production connections request. */
const idleTransactionMs = 10_000;
const names = new Map<string, string>();

/** A connection of a simulated process: requests and answers take simulated time, and can be lost. */
export class ServerConnection {
  readonly #process: SimulatedProcess;
  readonly #server: DatabaseServer;
  readonly #client: Client;
  readonly #faults: PlannedFaults;
  /** Aborted when the process has noticed that the connection is lost. */
  readonly lost = new AbortController();
  readonly idleTransactionMs: number;
  #inTransaction = false;
  /** Whether the running transaction has changed a row or sent a notification. */
  #wrote = false;
  #open = true;
  #serial = 0;

  private constructor(process: SimulatedProcess, server: DatabaseServer, client: Client, faults: PlannedFaults, idleMs: number) {
    this.#process = process;
    this.#server = server;
    this.#client = client;
    this.#faults = faults;
    this.idleTransactionMs = idleMs;
    server.add(this);
    // The kernel of a dead process closes its connections; a statement that was sent before may still run.
    process.onKill(() => server.simulation.after(process.random.uniform() * 5, () => this.cut()));
  }

  /** Connects to the server. @throws an error with the code ECONNREFUSED while the server is away */
  static open(process: SimulatedProcess, server: DatabaseServer, faults: PlannedFaults, idleMs = idleTransactionMs): Promise<ServerConnection> {
    return new Promise((resolve, reject) => {
      server.simulation.after(delayOf(process, faults), async () => {
        const client = server.isAway ? null : await server.lend();
        const connection = client === null ? null : new ServerConnection(process, server, client, faults, idleMs);
        process.after(delayOf(process, faults), () => (connection === null ? reject(refused()) : resolve(connection)));
      }, () => (process.alive ? undefined : null));
    });
  }

  get owner(): string {
    return this.#process.name;
  }

  get processId(): number {
    return processIdOf(this.#client);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Sends a statement; resolves or rejects when its answer has arrived, as `query` of pg does. */
  query(text: string, values: readonly unknown[] = []): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      // Code of a dead process may still continue after an operation of the file system; nobody hears what it says.
      if (!this.#process.alive) return;
      const answer = (outcome: Outcome): void => {
        this.#process.after(delayOf(this.#process, this.#faults), () => ('error' in outcome ? reject(outcome.error) : resolve(outcome.result)));
      };
      this.#server.simulation.after(delayOf(this.#process, this.#faults), () => this.#receive(text, values, answer));
    });
  }

  /** Ends the connection at the server. The process notices the loss at its next statement, or when it reads. */
  async cut(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#process.after(delayOf(this.#process, this.#faults), () => this.lost.abort());
    await this.#server.takeBack(this, this.#client);
  }

  /** Ends the connection in the order of statements: after those that were sent. */
  close(): void {
    this.lost.abort();
    this.#server.simulation.after(delayOf(this.#process, this.#faults), () => this.cut());
  }

  async #receive(text: string, values: readonly unknown[], answer: (outcome: Outcome) => void): Promise<void> {
    if (!this.#open) return answer({ error: terminated() });
    const kind = kindOf(text, this.#inTransaction);
    const fault = this.#takeFault(kind);
    if (fault !== null) this.#server.simulation.story.tell(this.owner, `loses its connection at ${kind === 'commit' ? 'a commit' : 'a statement'}, which ${fault === 'done' ? 'takes effect' : 'has no effect'}`);
    if (fault === 'not') {
      await this.cut();
      return answer({ error: terminated() });
    }
    if (kind === 'begin') this.#inTransaction = true;
    if (kind === 'commit' || kind === 'rollback') this.#inTransaction = false;
    const serial = ++this.#serial;
    // The server must not end connections that a later run uses again; it only names them here.
    const named = text.replace('pg_terminate_backend(held.pid)', 'held.pid');
    let ended: readonly { pid: number }[] = [];
    await this.#server.execute(this, () => this.#run(kind, named, values), (outcome) => this.#changes(kind, text, outcome), (outcome) => {
      if (named !== text && 'result' in outcome) ended = outcome.result.rows as { pid: number }[];
      this.#server.simulation.story.note(`${this.owner} ${text} ${describe(outcome)}`);
      if (fault === 'done') return answer({ error: terminated() });
      if (this.#inTransaction) this.#limitIdle(serial);
      answer(outcome);
    });
    if (fault === 'done') await this.cut();
    await this.#server.terminate(ended.map(({ pid }) => pid), this.owner);
  }

  /** Whether an outcome makes a change visible to other connections. */
  #changes(kind: Kind, text: string, outcome: Outcome): boolean {
    if ('error' in outcome) return false;
    const { command, rowCount } = outcome.result;
    const writes = kind !== 'commit' && !this.#server.uninspected.test(text) && ((command !== 'SELECT' && (rowCount ?? 0) > 0) || text.includes('pg_notify') || command === 'NOTIFY');
    if (kind === 'begin' || kind === 'rollback') this.#wrote = false;
    if (kind === 'inside') this.#wrote ||= writes;
    return kind === 'commit' ? this.#wrote : kind === 'change' && writes;
  }

  #takeFault(kind: Kind): 'done' | 'not' | null {
    const which = kind === 'commit' ? 'commit' : kind === 'change' ? 'statement' : null;
    if (which === null) return null;
    const fault = this.#faults[which];
    this.#faults[which] = null;
    return fault;
  }

  #limitIdle(serial: number): void {
    this.#server.simulation.after(this.idleTransactionMs, async () => {
      if (!this.#open) return;
      this.#server.simulation.story.tell(this.owner, 'is silent in a transaction, so the database ends the connection');
      await this.cut();
    }, () => (this.#open && this.#inTransaction && this.#serial === serial ? undefined : null));
  }

  async #run(kind: Kind, text: string, values: readonly unknown[]): Promise<Outcome> {
    try {
      const now = new Date(this.#server.clockMs).toISOString();
      if (kind === 'begin') {
        await this.#client.query(`${text}; SET LOCAL simulation.now = '${now}'`);
        return { result: { command: 'BEGIN', rowCount: null, oid: 0, fields: [], rows: [] } };
      }
      if (kind === 'read' || kind === 'change') await this.#client.query(`SET simulation.now = '${now}'`);
      if (values.length === 0) return { result: await this.#client.query(text) };
      const name = names.get(text) ?? `s${names.size}`;
      names.set(text, name);
      return { result: await this.#client.query({ name, text, values: [...values] }) };
    } catch (error) {
      return { error: error as Error };
    }
  }
}

type Kind = 'begin' | 'commit' | 'rollback' | 'inside' | 'read' | 'change';

function kindOf(text: string, inTransaction: boolean): Kind {
  if (text.startsWith('BEGIN')) return 'begin';
  if (text === 'COMMIT') return 'commit';
  if (text === 'ROLLBACK') return 'rollback';
  if (inTransaction) return 'inside';
  return /^\s*select/i.test(text) && !text.includes('pg_notify') && !text.includes('pg_terminate') ? 'read' : 'change';
}

/** Returns the time in ms that a message needs: about 1 ms, and rarely up to half a second. */
function delayOf(process: SimulatedProcess, { cutOffUntilMs }: PlannedFaults): number {
  const usual = process.random.uniform() < 0.005 ? process.random.uniform() * 500 : 0.2 + process.random.uniform() * 2;
  return Math.max(0, cutOffUntilMs - process.simulation.nowMs) + usual * process.slowness;
}

function refused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}

/** Without rows, because they contain the machine's name and the process id of the simulation. */
function describe(outcome: Outcome): string {
  return 'error' in outcome ? outcome.error.message : String(outcome.result.rowCount);
}
