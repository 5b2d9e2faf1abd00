import { appendFileSync, renameSync, rmSync, statSync } from 'node:fs';

/** With the current one, five files of this size: below 20 MB, for however long a node runs. */
const maxBytes = 4_000_000;
const oldFiles = 4;

/**
 * A file of log lines that is begun anew when it is full; the ones before it are called `.1` to `.4`. Written at once, so that
 * the last lines before a crash are there.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #failed: (sentence: string) => void;
  #bytes: number;
  #broken = false;

  /**
   * @param failed is told once when lines get lost, and again after a line could be written in between
   * @throws the system's error where the file cannot be written at all
   */
  constructor(path: string, failed: (sentence: string) => void) {
    this.#path = path;
    this.#failed = failed;
    appendFileSync(path, '', { mode: 0o600 });
    this.#bytes = statSync(path).size;
  }

  write(line: string): void {
    try {
      const bytes = Buffer.byteLength(line);
      if (this.#bytes > 0 && this.#bytes + bytes > maxBytes) this.#beginAnew();
      appendFileSync(this.#path, line, { mode: 0o600 });
      this.#bytes += bytes;
      this.#broken = false;
    } catch (error) {
      if (!this.#broken) this.#failed(`The log ${this.#path} cannot be written (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure'}); its lines are lost.`);
      this.#broken = true;
    }
  }

  #beginAnew(): void {
    rmSync(`${this.#path}.${oldFiles}`, { force: true });
    for (let place = oldFiles; place >= 1; place -= 1) {
      const from = place === 1 ? this.#path : `${this.#path}.${place - 1}`;
      if (exists(from)) renameSync(from, `${this.#path}.${place}`);
    }
    this.#bytes = 0;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
