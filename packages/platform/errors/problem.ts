/** One fault of a request, with its location: a JSON pointer, a query parameter, or a place in an uploaded file. */
export interface Fault {
  /** `/json/pointer`, `query:threshold`, `path:id`, `header:idempotency-key`, or `file:movies.csv`. */
  location: string;
  /** The fault, with the value. */
  detail: string;
  /** Name of the column, in a CSV file. */
  column?: string;
  /** Number of the data row; the first row after the header is 1. */
  row?: number;
  /** Number of the physical line in the file; the header begins at line 1. */
  line?: number;
  /** The invalid value, shortened. */
  value?: string;
}

/** One entry of an error catalogue: the facts about a code that are the same for each occurrence. */
export interface ErrorEntry {
  /** HTTP status of an answer with this code. */
  status: number;
  /** Short sentence without facts of one occurrence. */
  title: string;
  /** When the error occurs, for the documentation page. */
  cause: string;
  /** What the reader should do, for the documentation page. */
  remedy: string;
}

export type ErrorEntries = Readonly<Record<string, ErrorEntry>>;

/** Optional parts of a problem: faults of the request, headers of the answer, and the error that caused the problem. */
export interface ProblemOptions {
  errors?: Fault[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The stored and sent form of a problem: an RFC 9457 object with a stable code. */
export interface ProblemRecord {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  errors?: Fault[];
  request_id?: string;
}

/** An expected failure with a stable code from a catalogue. `detail` is shown to clients: the fault with the value, its reason, and what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: Fault[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: string, entry: Pick<ErrorEntry, 'status' | 'title'>, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.status = entry.status;
    this.title = entry.title;
    this.detail = detail;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  /** Returns the problem with another detail; the original is the cause. */
  withDetail(detail: string): Problem {
    const { code, errors, headers } = this;
    return new Problem(code, this, detail, { ...(errors === undefined ? {} : { errors }), headers, cause: this });
  }

  /** Converts the problem to its RFC 9457 object. @param base URL without a slash at the end; the page of a code is at `<base>/docs/errors/<code>` */
  toRecord(base = ''): ProblemRecord {
    return {
      type: `${base}/docs/errors/${this.code}`,
      title: this.title,
      status: this.status,
      code: this.code,
      detail: this.detail,
      ...(this.errors === undefined ? {} : { errors: this.errors }),
    };
  }
}

/** A catalogue of error codes. Problems are created only with its function `problem`. */
export interface ErrorCatalogue<Code extends string = string> {
  readonly entries: Readonly<Record<Code, ErrorEntry>>;
  problem(code: Code, detail: string, options?: ProblemOptions): Problem;
}

/**
 * Declares the error codes of one product. The product's code throws `catalogue.problem(code, detail)`.
 * @example
 * const zooErrors = defineErrors({
 *   'cage-full': { status: 409, title: 'The cage is full', cause: 'The cage has no place left.', remedy: 'Choose another cage.' },
 * });
 * throw zooErrors.problem('cage-full', 'The cage north has 4 of 4 animals. Choose another cage.');
 */
export function defineErrors<const Entries extends ErrorEntries>(
  entries: Entries,
): ErrorCatalogue<Extract<keyof Entries, string>> {
  return {
    entries,
    problem(code, detail, options) {
      const entry = entries[code];
      if (entry === undefined) throw new Error(`error code ${code} is not in the catalogue`);
      return new Problem(code, entry, detail, options);
    },
  };
}
