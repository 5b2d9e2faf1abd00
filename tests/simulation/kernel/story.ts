import { createHash, type Hash } from 'node:crypto';

/** What happened in a run, for people; and a digest of everything that happened, by which two runs are compared. */
export class Story {
  readonly #lines: string[] = [];
  readonly #digest: Hash = createHash('sha256');
  clock: () => number = () => 0;

  /** Adds a line for people. */
  tell(who: string, what: string): void {
    const line = `${formatTime(this.clock())}  ${who.padEnd(10)} ${what}`;
    this.#lines.push(line);
    this.#digest.update(`${line}\n`);
  }

  /** Adds a detail that only the digest contains, e.g. a statement and its result. */
  note(detail: string): void {
    this.#digest.update(`${this.clock().toFixed(3)} ${detail}\n`);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  digest(): string {
    return this.#digest.copy().digest('hex').slice(0, 16);
  }
}

/** Formats simulated ms since the start as `0:04:09.250`. */
function formatTime(ms: number): string {
  const total = Math.floor(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const seconds = Math.floor(total / 1_000);
  return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(total % 1_000).padStart(3, '0')}`;
}
