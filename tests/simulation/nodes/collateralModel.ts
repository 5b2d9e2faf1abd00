import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed } from '@vouch/platform/outbound/outbound';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import type { CollateralFile } from '@vouch/verifier/attestation/collateral/collateral';
import { answersWith, servedFiles, type ServedPart } from '@vouch/verifier/testing/collateralService';
import { drawDuration, seconds, type Drawn } from '../faults.ts';
import { exchangeMessages } from '../kernel/exchangeMessages.ts';
import type { SimulatedProcess } from '../kernel/simulatedProcess.ts';
import { startMs, type Simulation } from '../kernel/simulation.ts';
import { fmspc, validAfterMs, validBeforeMs, type SimulatedPki } from './simulatedPki.ts';

/** A fault of the collateral service at a point of simulated time. */
export type CollateralFault = { atMs: number; kind: `collateral-${'away' | 'busy' | 'lossy' | 'page' | 'old' | 'forged' | 'partial'}`; ms: number };

const meanings: Readonly<Record<CollateralFault['kind'], string>> = {
  'collateral-away': 'refuses connections', 'collateral-busy': 'answers HTTP 429 or 503', 'collateral-lossy': 'loses a third of the requests and of the answers', 'collateral-page': 'answers with a page',
  'collateral-old': 'answers from an old cache', 'collateral-forged': 'answers with collateral that a stranger signed', 'collateral-partial': 'does not know the platform',
};
const kinds = Object.keys(meanings) as CollateralFault['kind'][];
export const collateralHost = 'collateral.example';
const apiPath = '/sgx/certification/v4';
const lostShare = 0.33;
/** Time in ms between the issue of the newer collateral and its publication. Clocks of nodes may be ten minutes behind. */
const issuedBeforeMs = 900_000;

export function drawCollateralFault(random: SeededRandom): Drawn<CollateralFault> {
  return { kind: random.pick(kinds), ms: drawDuration(random, 5_000, 240_000) };
}

/** When the collateral of the start ends, and when the service has newer; in ms since the start. */
export interface CollateralDates {
  endsMs: number;
  renewedMs: number;
}

/** A service with the collateral of one platform, as nodes see it: some collateral that ends during the run, then newer. */
export class CollateralModel {
  readonly #simulation: Simulation;
  readonly #random: SeededRandom;
  readonly #dates: CollateralDates;
  readonly #files: Readonly<Record<'old' | 'renewed' | 'forged', readonly CollateralFile[]>>;
  readonly #answers: Readonly<Record<'old' | 'renewed' | 'forged', ReadonlyMap<string, ServedPart>>>;
  readonly #untilMs = new Map<CollateralFault['kind'], number>();

  constructor(simulation: Simulation, pki: SimulatedPki, dates: CollateralDates) {
    this.#simulation = simulation;
    this.#random = simulation.randomFor('collateral');
    this.#dates = dates;
    const old = new Date(startMs + dates.endsMs - validAfterMs);
    const renewed = new Date(startMs + dates.renewedMs - issuedBeforeMs + validBeforeMs);
    this.#files = { old: pki.makeCollateral(old, true), renewed: pki.makeCollateral(renewed, true), forged: pki.makeCollateral(renewed, false) };
    const answers = (files: readonly CollateralFile[]): ReadonlyMap<string, ServedPart> => new Map(answersWith(servedFiles(files, fmspc)));
    this.#answers = { old: answers(this.#files.old), renewed: answers(this.#files.renewed), forged: answers(this.#files.forged) };
  }

  /** Puts collateral into a folder, as an operator does. */
  put(folder: string, version: 'old' | 'renewed'): void {
    mkdirSync(folder, { recursive: true });
    for (const { name, bytes } of this.#files[version]) writeFileSync(join(folder, name), bytes);
  }

  inflict({ kind, ms }: CollateralFault): void {
    this.#simulation.story.tell('collateral service', `${meanings[kind]} for ${seconds(ms)}`);
    this.#untilMs.set(kind, Math.max(this.#untilMs.get(kind) ?? 0, this.#simulation.nowMs + ms));
  }

  /** The HTTP connections of a process to the service. */
  connect(process: SimulatedProcess): Connections {
    return {
      send: (url, { signal }) => exchangeMessages({ process, url, signal, delay: () => (10 + process.random.uniform() * 60) * process.slowness }, ({ answer, fail }) => {
        if (this.#has('collateral-away')) return fail(new OutboundFailed('unreachable', url.host, 'refused the connection'));
        if (this.#isLost()) return;
        const { status, body, headers } = this.#answer(`${url.pathname}${url.search}`.replace(apiPath, ''));
        this.#simulation.story.note(`${process.name} ${url.pathname}${url.search} ${status}`);
        if (this.#isLost()) return fail(new OutboundFailed('incomplete', url.host, 'closed the connection before the answer'));
        answer(status, body, headers);
      }),
      close: () => {},
    };
  }

  #answer(path: string): { status: number; body: string; headers?: Record<string, string> } {
    if (this.#has('collateral-page')) return { status: this.#random.pick([200, 404, 502]), body: '<!doctype html><title>Example</title>' };
    if (this.#has('collateral-busy')) return { status: this.#random.pick([429, 503]), body: '' };
    const version = this.#has('collateral-old') || this.#simulation.nowMs < this.#dates.renewedMs ? 'old' : 'renewed';
    const part = this.#answers[this.#has('collateral-forged') ? 'forged' : version].get(path);
    if (part === undefined || (this.#has('collateral-partial') && path.startsWith('/tcb'))) return { status: 404, body: 'No cache data for this platform.' };
    return { status: 200, body: part.body.toString(), headers: Object.fromEntries(Object.entries(part.headers).map(([name, value]) => [name.toLowerCase(), value])) };
  }

  #has(kind: CollateralFault['kind']): boolean {
    return this.#simulation.nowMs < (this.#untilMs.get(kind) ?? 0);
  }

  #isLost(): boolean {
    return this.#has('collateral-lossy') && this.#random.uniform() < lostShare;
  }
}
