import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { collectBody } from '@vouch/platform/outbound/collectBody';
import type { Blobs, BlobStat } from '@vouch/platform/blobs/blobs';
import { startMs, type Simulation } from '../kernel/simulation.ts';
import type { SimulatedProcess } from '../kernel/simulatedProcess.ts';

type StoredBlob = BlobStat & { content: Buffer; storedAt: number };

const blobsPerPage = 50;

/** A blob store with its own clock. Requests of processes take time, fail, or take effect without an answer. */
export class SimulatedStore {
  readonly #simulation: Simulation;
  readonly #blobs = new Map<string, StoredBlob>();
  #mark: string | null = null;
  #awayUntilMs = 0;
  /** Called after each removal. */
  removed: (name: string, process: string) => void = () => {};

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  has(name: string): boolean {
    return this.#blobs.has(name);
  }

  /** Content of a blob; null if the store does not have the blob. */
  contentOf(name: string): Buffer | null {
    return this.#blobs.get(name)?.content ?? null;
  }

  get names(): string[] {
    return [...this.#blobs.keys()];
  }

  /** Until the end of this time, half of the requests fail, and half of these take effect. */
  fail(ms: number): void {
    this.#awayUntilMs = Math.max(this.#awayUntilMs, this.#simulation.nowMs + ms);
  }

  /** The store as one process sees it; the collection of blobs, uploads and folds need no other functions. */
  connect(process: SimulatedProcess): Blobs {
    const ask = <Result>(run: () => Result): Promise<Result> => this.#ask(process, run);
    const put = (content: Buffer): Promise<BlobStat> => ask(() => {
      const name = nameOf(content);
      this.#blobs.set(name, { name, bytes: content.length, content, storedAt: this.#now });
      return { name, bytes: content.length };
    });
    const blobs: Pick<Blobs, 'kind' | 'place' | 'putFile' | 'putStream' | 'stat' | 'remove' | 'list' | 'owner' | 'setOwner'> = {
      kind: 's3', place: 'the simulated store',
      putFile: async (path) => put(await readFile(path)),
      putStream: async (content: Readable) => put(await collectBody(content, 1_000_000, () => new Error('too long'))),
      stat: (name) => ask(() => this.#blobs.get(name) ?? null),
      remove: (name, storedBefore = Number.POSITIVE_INFINITY) => ask(() => {
        const blob = this.#blobs.get(name);
        if (blob === undefined || blob.storedAt >= storedBefore) return false;
        this.#blobs.delete(name);
        this.removed(name, process.name);
        return true;
      }),
      list: () => this.#list(ask),
      owner: () => ask(() => this.#mark),
      setOwner: (mark, seen) => ask(() => {
        if (this.#mark !== seen) return false;
        this.#mark = mark;
        return true;
      }),
    };
    return blobs as Blobs;
  }

  async *#list(ask: <Result>(run: () => Result) => Promise<Result>): AsyncGenerator<StoredBlob> {
    for (let after = ''; ;) {
      const from = after;
      const page = await ask(() => [...this.#blobs.values()].filter(({ name }) => name > from).sort((one, other) => (one.name < other.name ? -1 : 1)).slice(0, blobsPerPage));
      yield* page;
      if (page.length < blobsPerPage) return;
      after = page.at(-1)!.name;
    }
  }

  get #now(): number {
    return startMs + Math.floor(this.#simulation.nowMs);
  }

  #ask<Result>(process: SimulatedProcess, run: () => Result): Promise<Result> {
    const { random } = process;
    const delay = (): number => (random.uniform() < 0.02 ? random.uniform() * 60_000 : 20 + random.uniform() * 200) * Math.min(process.slowness, 100);
    return new Promise((resolve, reject) => {
      this.#simulation.after(delay(), () => {
        const fails = this.#simulation.nowMs < this.#awayUntilMs && random.uniform() < 0.5;
        const failure = new Error('the store does not answer');
        if (fails && random.uniform() < 0.5) return process.after(delay(), () => reject(failure));
        const result = run();
        process.after(delay(), () => (fails ? reject(failure) : resolve(result)));
      });
    });
  }
}

function nameOf(content: Uint8Array): string {
  return `sha256-${createHash('sha256').update(content).digest('hex')}`;
}
