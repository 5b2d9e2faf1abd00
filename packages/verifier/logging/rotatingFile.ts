import { appendFileSync, renameSync, rmSync, statSync } from 'node:fs';

/** Maximum size of a log file. The current file and 4 old files together stay within 20 MB. */
const maxBytes = 4_000_000;
const oldFiles = 4;

/**
 * A log file that rotates when it is full; old files have the suffixes `.1` (newest) to `.4`. Each line is written synchronously, so
 * that the last lines before a crash are kept.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #failed: (sentence: string) => void;
  #bytes: number;
  #broken = false;

  /**
   * @param failed called once when writing fails; called again only if writing succeeded in between
   * @throws the system's error if the file cannot be written at all
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
      if (!this.#broken) this.#failed(`The log ${this.#path} cannot be written (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure'}); log lines are lost.`);
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
