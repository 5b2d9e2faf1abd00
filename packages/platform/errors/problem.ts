/** Where one fault of a request stands: a JSON pointer, a query name, or a place in an uploaded file. */
export interface Fault {
  /** `/json/pointer`, `query:threshold`, or `file:movies.csv`. */
  location: string;
  /** What is wrong there, with the value. */
  detail: string;
  /** Name of the column, in a CSV file. */
  column?: string;
  /** Data row, the first one after the header is 1. */
  row?: number;
  /** Physical line of the file, the header starts at 1. */
  line?: number;
  /** The offending value, shortened. */
  value?: string;
}

/** One entry of an error catalogue: everything about a code that does not depend on the occasion. */
export interface ErrorEntry {
  /** HTTP status of an answer with this code. */
  status: number;
  /** Short sentence without facts of the occasion. */
  title: string;
  /** When it happens, for the documentation page. */
  cause: string;
  /** What the reader does about it, for the documentation page. */
  remedy: string;
}

export type ErrorEntries = Readonly<Record<string, ErrorEntry>>;

export interface ProblemOptions {
  errors?: Fault[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The stored and sent form of a problem: RFC 9457 with a stable code. */
export interface ProblemRecord {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  errors?: Fault[];
  request_id?: string;
}

/** An expected failure with a stable code from a catalogue. `detail` is public: what with the value, why, what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: Fault[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: string, entry: ErrorEntry, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.status = entry.status;
    this.title = entry.title;
    this.detail = detail;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  /**
   * The RFC 9457 object of this problem.
   * @param base address under which the pages of the codes stand, without a slash at its end
   */
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

/** A catalogue of error codes and the one way to make problems of them. */
export interface ErrorCatalogue<Code extends string = string> {
  readonly entries: Readonly<Record<Code, ErrorEntry>>;
  problem(code: Code, detail: string, options?: ProblemOptions): Problem;
}

/** Declares the error codes of one product; each room throws `catalogue.problem(code, detail)`. */
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
