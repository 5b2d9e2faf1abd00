import type { Fetch } from '../outbound/fetchWhole.ts';

/** A call that the conformance test's receiver got. */
export interface ReceivedCall {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** The result of a program that has ended. */
export interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

/** Facilities beyond the server's HTTP interface. Available only if the test itself started the server. */
export interface InHouse {
  /** A server that answers 204 to every call and that the service can call; `received` grows with each call. */
  receiver: { url: string; received: readonly ReceivedCall[] };
  /** Data folder of the server. The server runs with a local chain, described in `devnet.json` in this folder. */
  folder: string;
  /** Creates another API key with exactly these scopes, in the organization of the test's key or in a new one. */
  createKey(scopes: readonly string[], organization?: 'same' | 'new'): Promise<string>;
  /** Runs `vouch` with the settings of the server, as its operator does, and returns the output. */
  operate(...words: string[]): Promise<string>;
  /** Reads a file of the repository by its path. */
  readFile(path: string): Promise<string>;
  node: NodeProgram;
}

/** The verifier node program. */
export interface NodeProgram {
  /** Folder of the built program. */
  bundle: string;
  /** An empty folder for configuration files and keystores. */
  folder: string;
  /** Runs the program until it ends. A verifier node is told to stop as soon as it has started. */
  run(words: readonly string[], input?: string): Promise<Ended>;
}

/** The input of a row: the running server with its public interface, and a key. */
export interface ConformanceContext {
  /** URL of recommender and video, without a slash at the end. */
  baseUrl: string;
  /** URL of the gateway; null if no gateway is checked. */
  gatewayUrl: string | null;
  apiKey: string;
  /** Sends all requests of the rows. */
  fetch: Fetch;
  /** Prefix of all tags, model ids and entity types that a row creates. No other run has the same prefix. */
  prefix: string;
  /** Whether the organization of the key contains only what the rows create. */
  disposable: boolean;
  /** URL of a video of at least 4 s that the service can download. Null if there is none. */
  mediaUrl: string | null;
  inHouse: InHouse | null;
  /** Values that several rows share, by name; each is created once. See `keep`. */
  kept: Map<string, Promise<unknown>>;
}

/** One check of one statement. */
export interface ConformanceRow {
  /** Number of the statement in the conformance list, e.g. `B7`. */
  statement: string;
  /** The request and the required answer, e.g. `three tags select the batch that has all three`. */
  shows: string;
  /** Rejects if the server does not meet the statement. @throws RowSkipped if the statement cannot be checked on this server */
  check(context: ConformanceContext): Promise<void>;
}

/** The rows of one product. */
export interface ConformanceSuite {
  name: string;
  rows: readonly ConformanceRow[];
  /** Creates the data that the rows share. */
  prepare(context: ConformanceContext): Promise<void>;
}

/** The row cannot be checked on this server with this key; the message states why. */
export class RowSkipped extends Error {
  override readonly name = 'RowSkipped';
}

/** Returns the value. @throws RowSkipped that names the missing thing if the value is null */
export function need<Value>(value: Value | null, what: string): Value {
  if (value === null) throw new RowSkipped(`needs ${what}`);
  return value;
}

/** Returns the facilities of a test that started the server itself. @param what what the row needs them for @throws RowSkipped if there are none */
export function inHouseOf({ inHouse }: ConformanceContext, what: string): InHouse {
  return need(inHouse, `${what}, which only Vouch’s own test has`);
}

/** Creates a value once per run and name; a failed creation is tried again at the next call. */
export function keep<Value>({ kept }: ConformanceContext, name: string, make: () => Promise<Value>): Promise<Value> {
  const there = kept.get(name);
  if (there !== undefined) return there as Promise<Value>;
  const made = make();
  kept.set(name, made);
  made.catch(() => kept.delete(name));
  return made;
}

let names = 0;

/** Returns a name that nothing else uses, e.g. for a tag or a model. */
export function uniqueName({ prefix }: ConformanceContext, word: string): string {
  names += 1;
  return `${prefix}-${word}-${names}`;
}
