/** A block of the chain, as far as a cache needs it. */
interface At {
  number: number;
  hash: string;
}

interface Kept<Value> {
  value: Value;
  /** The block in which the value was first read. */
  first: number;
  /** Hash of the head at the last read; null once the value is final. */
  hash: string | null;
}

/**
 * Keeps values that never change on one branch of the chain. A reorganization can change them, so a value is read again with each new block until it has
 * been the same for the given number of blocks; from then on it is kept without limit of time.
 */
export class SettledCache<Key, Value> {
  readonly #confirmations: number;
  readonly #maxKept: number;
  readonly #kept = new Map<Key, Kept<Value>>();

  /**
   * @param confirmations blocks after which a value is final
   * @param maxKept maximum number of values; the oldest are removed first
   */
  constructor(confirmations: number, maxKept: number) {
    this.#confirmations = confirmations;
    this.#maxKept = maxKept;
  }

  /**
   * Returns the kept value, or reads it.
   * @param head the newest block
   * @param isSet whether a value is set; other values are not kept
   */
  async get(key: Key, head: At, read: () => Promise<Value>, isSet: (value: Value) => boolean): Promise<Value> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && (kept.hash === null || kept.hash === head.hash)) return kept.value;
    const value = await read();
    if (isSet(value)) this.#keep(key, value, head, kept);
    else this.#kept.delete(key);
    return value;
  }

  #keep(key: Key, value: Value, { number, hash }: At, before: Kept<Value> | undefined): void {
    const isSame = before !== undefined && before.first <= number && JSON.stringify(before.value) === JSON.stringify(value);
    const first = isSame ? before.first : number;
    this.#kept.set(key, { value, first, hash: number - first >= this.#confirmations ? null : hash });
    if (this.#kept.size <= this.#maxKept) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }
}
