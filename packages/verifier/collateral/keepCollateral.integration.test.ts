import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@vouch/platform/log/logger';
import { freePort } from '@vouch/platform/testing/freePort';
import { systemInterfaces, type SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { makeTestKeys, makeTestWorld } from '../attestation/testPki/makeTestWorld.ts';
import { buildWorld } from '../attestation/testPki/testWorld.ts';
import { openConfigurations } from '../testing/configurations.ts';
import { Alarms } from '../context/alarms.ts';
import { unknownFreshness, type CollateralFreshness } from '../context/collateralFreshness.ts';
import { NodeWorld, reached, until } from '../testing/nodeWorld.ts';
import type { KeptAttestation } from '../state/nodeState.ts';
import { CollateralService, servedFiles } from '../testing/collateralService.ts';
import { CollateralLane } from './keepCollateral.ts';

const fmspc = '00a067110000';
const hour = 3_600_000;
const { folder, load } = openConfigurations();
const collateral = join(folder, 'collateral');
let service: CollateralService;
beforeAll(async () => { service = await CollateralService.start(); });
afterAll(() => service.stop());

/** A lane with a simulated clock: hours pass in milliseconds. */
class Simulation {
  readonly keys = makeTestKeys();
  readonly certificates = buildWorld(makeTestWorld(this.keys, new Date('2026-03-01T00:00:00Z'))).certificates;
  readonly freshness: CollateralFreshness = unknownFreshness();
  readonly fetchedAt: number[] = [];
  readonly attestations: KeptAttestation[] = [];
  readonly #stop = new AbortController();
  #now = Date.parse('2026-03-01T00:00:00Z');
  /** How far the wall clock is ahead of the time that passes. */
  clockAheadMs = 0;
  #until = this.#now;
  #stepMs = 0;
  #early = false;
  #resume: () => void = () => {};
  readonly alarms: Alarms;
  readonly #ended: Promise<void>;

  constructor(file: Record<string, string> = {}) {
    const { configuration } = load({ 'attestation.collateral_url': JSON.stringify(service.url), 'attestation.trust_root': this.serve().trustRoot.fingerprint, ...file });
    const system: SystemInterfaces = {
      ...systemInterfaces, clock: { now: () => this.#now + this.clockAheadMs }, elapsedMs: () => this.#now, random: { ...systemInterfaces.random, fraction: () => this.#fraction() },
      timers: { sleep: (milliseconds, signal, holding = true) => (holding ? this.#sleep(milliseconds) : systemInterfaces.timers.sleep(milliseconds, signal, holding)) },
    };
    const log = createLogger('error', { write: () => {} });
    this.alarms = new Alarms(log, system.clock, () => {});
    const lane = new CollateralLane({
      configuration, system, signal: this.#stop.signal, log, alarms: this.alarms, collateral: this.freshness, record: { all: () => this.attestations.values() as MapIterator<KeptAttestation> },
      time: this,
    }, join(folder, 'state'));
    this.#ended = lane.run();
  }

  /** Makes the service deliver collateral issued at the simulated time. */
  serve() {
    const world = makeTestWorld(this.keys, new Date(this.#now + 1));
    for (const name of ['root', 'platformCa', 'pck', 'tcbSigning'] as const) world[name].der = this.certificates[name];
    const built = buildWorld(world);
    service.serve(servedFiles(built.files, fmspc));
    const list = service.answers.get('/rootcacrl') as { body: string };
    service.answers.set('/rootcacrl', (_request, response) => {
      this.fetchedAt.push(this.#now);
      response.end(list.body);
    });
    return built;
  }

  /** Makes the service answer every request with an error. */
  fail(): void {
    service.answers = new Map([['/rootcacrl', (_request, response) => {
      this.fetchedAt.push(this.#now);
      response.writeHead(503).end();
    }]]);
  }

  /** Advances the simulated time. @param stepHours minimum number of hours between two checks of the lane */
  async pass(hours: number, stepHours = 0): Promise<void> {
    this.#stepMs = stepHours * hour;
    this.#until = this.#now + hours * hour;
    this.#resume();
    while (this.#now < this.#until) await systemInterfaces.timers.sleep(1);
  }

  readonly doubtful = false;

  get date(): Date {
    return new Date(this.#now);
  }

  get hoursBetween(): number[] {
    return this.fetchedAt.slice(1).map((at, n) => (at - this.fetchedAt[n]!) / hour);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    this.#resume();
    await this.#ended;
  }

  /** Alternates between low and high random values, so that one test covers both. */
  #fraction(): number {
    this.#early = !this.#early;
    return this.#early ? 0.1 : 0.9;
  }

  async #sleep(milliseconds: number): Promise<void> {
    while (this.#now >= this.#until && !this.#stop.signal.aborted) await new Promise<void>((resolve) => { this.#resume = resolve; });
    this.#now += Math.max(milliseconds, this.#stepMs);
    await new Promise(setImmediate);
  }
}

describe('the collateral of a running node', () => {
  beforeEach(() => {
    rmSync(collateral, { recursive: true, force: true });
    rmSync(join(folder, 'state'), { recursive: true, force: true });
    mkdirSync(collateral);
  });

  it('is fetched at once where it is missing, without TCB info as long as no quote was seen', async () => {
    const simulation = new Simulation();
    // Less than 30 s, the minimum delay before an incomplete fetch is repeated.
    await simulation.pass(0.005);
    await simulation.end();
    expect([simulation.fetchedAt.length, readdirSync(collateral).filter((name) => /^(tcbInfo|rootCrl)/.test(name))]).toEqual([1, ['rootCrl.crl']]);
  });

  exhaustiveTest('is fetched once a day, each time a little earlier or later', async () => {
    const simulation = new Simulation();
    keepInfo(simulation.serve().info);
    await simulation.pass(1);
    simulation.fetchedAt.length = 0;
    await simulation.pass(24 * 5, 0.5);
    await simulation.end();
    expect([4, 5]).toContain(simulation.fetchedAt.length);
    for (const hours of simulation.hoursBetween) expect([hours >= 21.5, hours <= 26.6, Math.abs(hours - 24) > 1]).toEqual([true, true, true]);
    expect(new Set(simulation.hoursBetween.map((hours) => hours < 24)).size).toBe(2);
    expect(simulation.freshness).toMatchObject({ complete: true, updatedAt: simulation.fetchedAt.at(-1), failures: expect.any(Number) as number });
  });

  exhaustiveTest('is asked for less and less often while it fails, and an alarm is raised three days before the end, and over after a fetch', async () => {
    const simulation = new Simulation();
    keepInfo(simulation.serve().info);
    await simulation.pass(2);
    expect(simulation.freshness.complete).toBe(true);
    const begun = simulation.fetchedAt.length;
    simulation.fail();
    await simulation.pass(2);
    await simulation.pass(72, 1);
    const gaps = simulation.hoursBetween.slice(begun);
    // Each check verifies the whole folder, so the time between the first failures and the alarm has few checks.
    await simulation.pass(24 * 26 - 82, 12);
    expect(simulation.alarms.has('collateral-ending')).toBe(false);
    await simulation.pass(12, 1);
    expect(simulation.alarms.standing).toEqual([expect.objectContaining({ code: 'collateral-ending', sentence: expect.stringContaining('HTTP 503') as string })]);
    // The lane checks once an hour here; the longest delay is six hours plus or minus a half.
    expect([gaps[0], gaps.at(-1)! >= 3, Math.max(...gaps) <= 10, simulation.freshness.failures > gaps.length]).toEqual([1, true, true, true]);
    simulation.serve();
    await simulation.pass(12, 1);
    await simulation.end();
    expect([simulation.alarms.standing, simulation.freshness.complete]).toEqual([[], true]);
  });

  it('is asked for every few minutes while the node cannot vote without it', async () => {
    const simulation = new Simulation();
    const { trustRoot } = simulation.serve();
    simulation.fail();
    await simulation.pass(9, 0.02);
    expect([simulation.freshness.complete, Math.max(...simulation.hoursBetween.slice(-20)) < 0.2]).toEqual([false, true]);
    await simulation.pass(0.2);
    simulation.serve();
    await simulation.pass(0.2, 0.02);
    await simulation.end();
    expect([trustRoot.fingerprint, readdirSync(collateral).includes('rootCrl.crl')]).toEqual([trustRoot.fingerprint, true]);
  });

  it('is fetched in time after the clock was set back by a month', async () => {
    const simulation = new Simulation();
    keepInfo(simulation.serve().info);
    simulation.clockAheadMs = 30 * 24 * hour;
    await simulation.pass(0.1);
    simulation.clockAheadMs = 0;
    simulation.fetchedAt.length = 0;
    await simulation.pass(28, 0.5);
    await simulation.end();
    expect(simulation.fetchedAt.length).toBe(1);
  });

  it('keeps its alarm when it has ended, and is asked for soon', async () => {
    const simulation = new Simulation();
    keepInfo(simulation.serve().info);
    await simulation.pass(2);
    simulation.fail();
    await simulation.pass(24 * 28, 12);
    const until = simulation.freshness.validUntil!;
    await simulation.pass((until - simulation.date.getTime()) / hour + 1, 0.05);
    const first = simulation.fetchedAt.find((at) => at > until) ?? Infinity;
    await simulation.end();
    expect((first - until) / hour).toBeLessThan(0.35);
    expect([simulation.freshness.complete, simulation.alarms.standing]).toEqual([false, [expect.objectContaining({ code: 'collateral-ending', sentence: expect.stringContaining('has ended') as string })]]);
  });

  it('is not fetched where the setting says so, and the alarm says that', async () => {
    const simulation = new Simulation();
    keepInfo(simulation.serve().info);
    await simulation.pass(2);
    await simulation.end();
    const asked = service.asked.length;
    const told = new Simulation({ 'attestation.collateral_update': 'false', 'attestation.trust_root': simulation.serve().trustRoot.fingerprint });
    await told.pass(24 * 26.5, 12);
    await told.end();
    expect(service.asked.length).toBe(asked);
    expect(told.alarms.standing).toEqual([expect.objectContaining({ sentence: expect.stringContaining('attestation.collateral_update is false') as string })]);
  });
});

/** Stores the text of an attestation like a node. */
function keepInfo(info: string): void {
  mkdirSync(join(folder, 'state', 'infos'), { recursive: true });
  writeFileSync(join(folder, 'state', 'infos', `0x${'ab'.repeat(32)}.txt`), info);
}

exhaustiveTest('a node that is started with an empty folder fetches what the first attestation needs, and votes', async () => {
  const world = await NodeWorld.open({ operators: 1 });
  const port = await freePort();
  try {
    const files = readdirSync(world.pki.collateralFolder).map((name) => ({ name, bytes: readFileSync(join(world.pki.collateralFolder, name)) }));
    service.serve(servedFiles(files, fmspc));
    const { attestation, node } = world.configuration();
    const running = await world.startActive(world.chain.operators[0]!, {
      attestation: { ...attestation, collateralPath: join(world.folder, 'fetched'), fetching: { url: service.url, automatic: true } },
      node: { ...node, healthListen: { host: '127.0.0.1', port } },
    }, { system: { ...world.system, random: { ...systemInterfaces.random, fraction: () => 0 } } });
    const fetched = (file: string): boolean => existsSync(join(world.folder, 'fetched', file));
    await until(() => fetched('qeIdentity.json'));
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => {
      // An incomplete fetch is repeated after at least 30 s, so the test advances the clock.
      world.skew(1);
      return fetched(`tcbInfo-${fmspc}.json`);
    });
    // Attestations without a verdict are verified again after one minute.
    world.skew(61);
    expect(await reached(running, id!, 'reported')).toMatchObject({ verdict: 0, reason: 'verified' });
    await until(async () => /^verifier_collateral_complete 1$/m.test(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()));
  } finally {
    await world.close();
  }
});
