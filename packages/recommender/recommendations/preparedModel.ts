import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { type ModelReader, openModel } from '../engine/modelFile/openModel.ts';

/** Number of polls after which an unpublished version is closed: an hour at one poll per 5 s. */
const maxPolls = 720;
/**
 * Pause in ms after each 512 KB of a file that is being opened. Without pauses, opening 160 MB takes 0.3 s, in which
 * checksums and garbage collections delay queries by up to 100 ms. With pauses, opening takes 5 s, less than the evaluation
 * that runs at the same time.
 */
const restMs = 12;
/** Pause in ms after the version is published, shorter because a status request waits until the version is open. */
const shortRestMs = 3;

interface Prepared {
  key: string;
  blob: string;
  reader: Promise<ModelReader>;
  restMs: number;
  polls: number;
}

/**
 * The open model file of one version that a running training is about to publish. Opening 160 MB takes 0.2 s, in which all
 * queries of the model would wait; a version that is already open answers immediately when it is published. Only one version
 * is prepared at a time, because each takes up to 256 MB.
 */
export class PreparedModel {
  private prepared: Prepared | null = null;
  private readonly timers: Timers;

  constructor(timers: Timers) {
    this.timers = timers;
  }

  /** Opens the file of a model's next version, and closes the file that was prepared before. */
  prepare(key: string, blob: string, findPath: () => Promise<string>): void {
    if (this.prepared?.key === key && this.prepared.blob === blob) return;
    this.close();
    const rest = (): Promise<void> => this.timers.sleep(prepared.restMs);
    const reader = findPath().then((path) => openModel(path, { rest }));
    const prepared: Prepared = { key, blob, reader, restMs, polls: 0 };
    this.prepared = prepared;
    // `take` reports the error; without this handler, an unhandled rejection would end the process.
    reader.catch(() => undefined);
  }

  /** Returns the reader that was prepared for exactly this file; null if another file was prepared or opening failed. */
  async take(key: string, blob: string): Promise<ModelReader | null> {
    const prepared = this.prepared;
    if (prepared === null || prepared.key !== key || prepared.blob !== blob) return null;
    this.prepared = null;
    prepared.restMs = shortRestMs;
    return prepared.reader.catch(() => null);
  }

  /** Closes a version that was not published within an hour. The caller calls this method every 5 s. */
  poll(): void {
    if (this.prepared !== null && ++this.prepared.polls > maxPolls) this.close();
  }

  close(): void {
    void this.prepared?.reader.then((reader) => reader.close(), () => undefined);
    this.prepared = null;
  }
}
