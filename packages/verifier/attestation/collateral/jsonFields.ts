/** Thrown if a JSON document does not have the expected fields. The message is the end of a sentence. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}

/** Reads typed fields of a JSON object. Each method throws UnreadableDocument, with the value found, if a field has another type. */
export class JsonFields {
  readonly #fields: ReadonlyMap<string, unknown>;
  readonly #what: string;

  constructor(value: unknown, what: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnreadableDocument(`${what} is not an object`);
    this.#fields = new Map(Object.entries(value));
    this.#what = what;
  }

  has(key: string): boolean {
    return this.#fields.has(key);
  }

  value(key: string): unknown {
    return this.#fields.get(key);
  }

  text(key: string): string {
    const value = this.value(key);
    if (typeof value !== 'string') throw this.#fault(key, 'a text');
    return value;
  }

  /** Reads a hex field of exactly `bytes` bytes and returns lower-case digits. */
  hex(key: string, bytes: number): string {
    const value = this.text(key);
    if (!/^[0-9a-f]*$/i.test(value) || value.length !== 2 * bytes) throw this.#fault(key, `${2 * bytes} hex digits`);
    return value.toLowerCase();
  }

  integer(key: string, max: number): number {
    const value = this.value(key);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max) throw this.#fault(key, `a whole number from 0 to ${max}`);
    return value;
  }

  /** Reads an ISO 8601 date in UTC and returns milliseconds since 1970. */
  date(key: string): number {
    const value = this.text(key);
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(value) ? new Date(value).getTime() : Number.NaN;
    if (!Number.isFinite(time)) throw this.#fault(key, 'a date of ISO 8601 in UTC');
    return time;
  }

  list(key: string, max: number): readonly unknown[] {
    const value: unknown = this.value(key);
    if (!Array.isArray(value) || value.length > max) throw this.#fault(key, `a list of at most ${max}`);
    return value;
  }

  /** Reads a list of strings; returns an empty list if the field is absent. */
  texts(key: string, max: number): readonly string[] {
    return this.has(key) ? this.list(key, max).map(String) : [];
  }

  #fault(key: string, wanted: string): UnreadableDocument {
    return new UnreadableDocument(`${key} of ${this.#what} is ${JSON.stringify(this.value(key))?.slice(0, 80)}, not ${wanted}`);
  }
}
