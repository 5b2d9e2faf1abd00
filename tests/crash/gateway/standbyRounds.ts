import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startPostgres } from '@vouch/platform/database/embeddedPostgres';
import { parseConnection } from '@vouch/platform/database/passfile';
import { createLogger } from '@vouch/platform/log/logger';
import { nameWorker } from '@vouch/platform/process/nameWorker';
import { seededRandom, type SeededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { createLedger, type Ledger } from '../harness/ledger.ts';
import { waitUntil } from '../harness/place.ts';
import type { VouchPlace } from '../harness/vouchSubjects.ts';
import { createLoad, type Message } from './gatewayLoad.ts';
import { openWorld, type GatewayWorld } from './gatewayWorld.ts';
import { networkNames, openNetworks, type Machine } from '../harness/networks.ts';
import { relayDatabase, relayTcp, type TcpRelay } from '../harness/relayTcp.ts';
import { startStandby, untilEnded, untilServed, type StandbyGateway } from './standbyGateway.ts';

/** Faults of the gateway that writes. */
export const faults = ['hang', 'kill', 'lost machine', 'cut from the database', 'cut from the chain', 'update'] as const;
type Fault = (typeof faults)[number];

export interface StandbyRound {
  round: number;
  fault: Fault;
  /** Milliseconds from the fault until the other gateway held the leases of both keys. */
  takeoverMs: number;
}

/** What a run does. */
interface StandbyOrder {
  rounds: number;
  /** The faults, which take turns; at least one. */
  chosen: readonly Fault[];
  seed: number;
}

export interface StandbyReport {
  accepted: number;
  /** Number of messages by final status. */
  ends: Readonly<Record<string, number>>;
  /** Messages reported as confirmed without an event on the chain. */
  lost: string[];
  /** Messages that took effect more than once, whether or not they were accepted. */
  twice: string[];
  outage: DatabaseOutage;
}

/** What both gateways did while PostgreSQL did not answer for a minute. */
interface DatabaseOutage {
  /** Messages accepted while PostgreSQL did not answer. An accepted message is durable, so the number must be 0. */
  accepted: number;
  /** Milliseconds from the return of PostgreSQL until one gateway held the leases of both keys. */
  resumedMs: number;
}

const keys = 2;
const healMsMax = 4_000;
const steadyMsMax = 2_000;
const outageMs = 60_000;
/** Longer than an answer takes that was under way when the database stopped answering. */
const underWayMs = 6_000;

/**
 * Runs two gateways on separate simulated machines that share a database and a chain. In each round, a fault affects the writing
 * gateway under load, the other gateway takes over, and the fault ends. At the end, compares the responses to clients with the
 * events of the chain.
 */
export async function runStandbyRounds({ rounds, chosen, seed }: StandbyOrder, onRound: (round: StandbyRound) => void): Promise<StandbyReport> {
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const world = await openWorld(false);
    closers.push(() => world.close());
    const networks = await openNetworks(2);
    closers.push(() => networks.close());
    const folder = await mkdtemp(join(tmpdir(), 'vouch-standby-'));
    await chmod(folder, 0o755);
    const postgres = await startPostgres({ folder, log: createLogger('silent'), temporary: true });
    closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }), () => postgres.stop());
    const { relay: database, url } = await relayDatabase(networks.host('database'), postgres.connectionString);
    closers.push(() => database.close());
    const chain = await relayTcp(networks.host('chain'), { host: '127.0.0.1', port: Number(new URL(world.chain.url).port) });
    closers.push(() => chain.close());
    const reached: GatewayWorld = {
      ...world, environment: { ...world.environment, VOUCH_CHAIN_RPC_URL: `http://${networks.host('chain')}:${chain.port}`, VOUCH_LOG_LEVEL: 'warn' },
    };
    const start = (machine: Machine): Promise<StandbyGateway> =>
      startStandby(reached, url, '', { prefix: machine.prefix, host: machine.address('web') });
    const look = new Client(parseConnection(postgres.connectionString));
    await look.connect();
    closers.push(() => look.end());
    const pair: Standing[] = [];
    closers.push(() => Promise.all(pair.map(({ gateway }) => gateway.close())));
    for (const machine of networks.machines) pair.push({ machine, gateway: await start(machine) });
    return await new Rounds({ world: reached, pair, start, look, database, random: seededRandom(seed) }).run(rounds, chosen, onRound);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** A gateway and its machine. */
interface Standing {
  machine: Machine;
  gateway: StandbyGateway;
}

interface RoundParts {
  world: GatewayWorld;
  pair: readonly Standing[];
  start(machine: Machine): Promise<StandbyGateway>;
  /** Database connection of the test. */
  look: Client;
  /** Carries the connections of both gateways to the database. */
  database: TcpRelay;
  random: SeededRandom;
}

class Rounds {
  readonly #ledger: Ledger<Message> = createLedger<Message>();
  /** The gateway that receives the messages; it must be able to store them. */
  readonly #target: VouchPlace;
  readonly #parts: RoundParts;

  constructor(parts: RoundParts) {
    this.#parts = parts;
    this.#target = { ...(parts.pair[0] as Standing).gateway.place };
  }

  async run(rounds: number, chosen: readonly Fault[], onRound: (round: StandbyRound) => void): Promise<StandbyReport> {
    const load = createLoad({ ...this.#parts.world, place: this.#target });
    const stop = new AbortController();
    const driving = load.drive(this.#ledger, this.#parts.random, stop.signal);
    driving.catch(() => undefined);
    let outage: DatabaseOutage;
    try {
      for (let round = 1; round <= rounds; round += 1) onRound({ round, ...(await this.#round(chosen[(round - 1) % chosen.length] as Fault)) });
      outage = await this.#outage();
    } finally {
      stop.abort();
      await driving;
    }
    await load.repeatOpen(this.#ledger);
    const ends = await untilEnded(this.#target, this.#ledger);
    return { ...(await this.#compare(ends)), outage };
  }

  async #round(fault: Fault): Promise<{ fault: Fault; takeoverMs: number }> {
    const writer = await this.#untilWriter();
    const standby = this.#parts.pair.find((each) => each !== writer) as Standing;
    await this.#untilStandsBy(standby);
    await this.#untilAccepts(2);
    await sleep(this.#parts.random.below(steadyMsMax));
    Object.assign(this.#target, standby.gateway.place);
    const began = performance.now();
    await this.#break(writer, fault);
    await this.#untilHeldBy(standby);
    const takeoverMs = Math.round(performance.now() - began);
    await this.#untilAccepts(2);
    await sleep(this.#parts.random.below(healMsMax));
    await this.#mend(writer, fault);
    return { fault, takeoverMs };
  }

  /** Stops PostgreSQL's answers to both gateways for a minute. */
  async #outage(): Promise<DatabaseOutage> {
    await this.#untilWriter();
    await this.#untilAccepts(2);
    this.#parts.database.hang(true);
    await sleep(underWayMs);
    const before = this.#accepted().length;
    await sleep(outageMs - underWayMs);
    const accepted = this.#accepted().length - before;
    this.#parts.database.hang(false);
    const returned = performance.now();
    await this.#untilWriter();
    const resumedMs = Math.round(performance.now() - returned);
    await this.#untilAccepts(2);
    return { accepted, resumedMs };
  }

  async #break({ machine, gateway }: Standing, fault: Fault): Promise<void> {
    switch (fault) {
      case 'hang':
        return void process.kill(gateway.service.processId, 'SIGSTOP');
      case 'kill':
        return gateway.service.kill();
      case 'lost machine':
        // First unplugs the cables, so that no peer learns that the connections close.
        await machine.cut(...networkNames);
        return gateway.service.kill();
      case 'cut from the database':
        return machine.cut('database');
      case 'cut from the chain':
        return machine.cut('chain');
      case 'update':
        return void process.kill(gateway.service.processId, 'SIGTERM');
    }
  }

  async #mend(standing: Standing, fault: Fault): Promise<void> {
    const { machine, gateway } = standing;
    if (fault === 'hang') return gateway.wake();
    if (fault === 'cut from the database') return machine.join('database');
    if (fault === 'cut from the chain') return machine.join('chain');
    if (fault === 'lost machine') await machine.join(...networkNames);
    await gateway.close();
    standing.gateway = await this.#parts.start(machine);
  }

  /** Waits for the gateway that holds the leases of all keys. */
  async #untilWriter(): Promise<Standing> {
    let writer: Standing | undefined;
    await waitUntil('one gateway writes both keys', async () => {
      const holders = await this.#holders();
      writer = this.#parts.pair.find(({ gateway }) => holders.length === keys && holders.every((holder) => holder === nameOf(gateway)));
      // If both leases were free for a moment, each gateway may hold one. The faults must affect a gateway that holds both.
      if (writer === undefined && new Set(holders).size > 1) await this.#endConnectionsOf(holders[0] as string);
      return writer !== undefined;
    });
    return writer as unknown as Standing;
  }

  /** Makes a holder lose its leases by ending its database connections, as an operator would. */
  async #endConnectionsOf(holder: string): Promise<void> {
    await this.#parts.look.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [`vouch lease ${holder}`]);
    await sleep(2_000);
  }

  async #holders(): Promise<string[]> {
    const { rows } = await this.#parts.look.query<{ holder: string }>(
      `SELECT holder FROM leases WHERE name LIKE 'gateway:relayer:%' AND fence IS NOT NULL AND lease_until > now() ORDER BY name`);
    return rows.map(({ holder }) => holder);
  }

  async #untilHeldBy({ gateway }: Standing): Promise<void> {
    await waitUntil('the other gateway writes both keys', async () => {
      const holders = await this.#holders();
      return holders.length === keys && holders.every((holder) => holder === nameOf(gateway));
    });
  }

  /** Waits until the gateway responds and polls the leases. */
  async #untilStandsBy({ gateway }: Standing): Promise<void> {
    await untilServed(gateway.place);
    await waitUntil('the other gateway stands by', async () => {
      const { rows: [row] } = await this.#parts.look.query<{ looking: number }>(
        `SELECT count(*)::int AS looking FROM pg_stat_activity WHERE application_name = $1 AND query_start > now() - interval '3 seconds'`,
        [`vouch lease ${nameOf(gateway)}`]);
      return (row?.looking ?? 0) >= keys;
    });
  }

  async #untilAccepts(more: number): Promise<void> {
    const enough = this.#accepted().length + more;
    await waitUntil('messages are accepted', async () => this.#accepted().length >= enough);
  }

  #accepted(): Message[] {
    return [...this.#ledger.entries()].flatMap(([, { state, effect }]) => (state === 'acknowledged' ? [effect] : []));
  }

  async #compare(ends: Readonly<Record<string, number>>): Promise<Omit<StandbyReport, 'outage'>> {
    const effects = await this.#parts.world.countEffects();
    const accepted = this.#accepted();
    return {
      accepted: accepted.length,
      ends,
      lost: accepted.flatMap(({ key }) => (effects.has(key) ? [] : [key])),
      twice: [...effects].flatMap(([key, times]) => (times > 1 ? [`${key}: ${times} times`] : [])),
    };
  }
}

/** Returns the name that the gateway uses in its leases. */
function nameOf({ service }: StandbyGateway): string {
  return nameWorker(service.processId);
}
