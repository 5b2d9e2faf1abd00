import type { Timers } from '@vouch/platform/process/doors';
import { type ModelReader, openModel } from '../engine/modelFile/openModel.ts';

/** Polls after which a version that never came is forgotten: an hour at one poll in 5 s. */
const maxPolls = 720;
/**
 * Opened in one go, 160 MB take 0.3 s in which checksums and garbage collections hold up one query in a hundred of a whole
 * training by up to 100 ms. In half megabytes with such rests they take 5 s, less than the evaluation that goes on meanwhile.
 */
const restMs = 12;
/** Once the version is published, for the one who asks how the training stands. */
const shortRestMs = 3;

interface Prepared {
  key: string;
  blob: string;
  reader: Promise<ModelReader>;
  restMs: number;
  polls: number;
}

/**
 * The model file of one version that a running training is about to publish. Opening 160 MB takes 0.2 s, in which every
 * query of the model would wait; opened beforehand, the version answers the moment it is published. One at a time, since
 * each takes up to 256 MB.
 */
export class PreparedModel {
  private prepared: Prepared | null = null;
  private readonly timers: Timers;

  constructor(timers: Timers) {
    this.timers = timers;
  }

  /** Opens a file for a model; what was prepared before is closed. */
  prepare(key: string, blob: string, findPath: () => Promise<string>): void {
    if (this.prepared?.key === key && this.prepared.blob === blob) return;
    this.close();
    const rest = (): Promise<void> => this.timers.sleep(prepared.restMs);
    const reader = findPath().then((path) => openModel(path, { rest }));
    const prepared: Prepared = { key, blob, reader, restMs, polls: 0 };
    this.prepared = prepared;
    // Whoever takes it gets the error; nobody taking it is no reason to end the whole process.
    reader.catch(() => undefined);
  }

  /** Hands over what was prepared for exactly this file; null where it was another, or could not be opened. */
  async take(key: string, blob: string): Promise<ModelReader | null> {
    const prepared = this.prepared;
    if (prepared === null || prepared.key !== key || prepared.blob !== blob) return null;
    this.prepared = null;
    prepared.restMs = shortRestMs;
    return prepared.reader.catch(() => null);
  }

  /** Called now and then; forgets a version that did not come. */
  poll(): void {
    if (this.prepared !== null && ++this.prepared.polls > maxPolls) this.close();
  }

  close(): void {
    void this.prepared?.reader.then((reader) => reader.close(), () => undefined);
    this.prepared = null;
  }
}
