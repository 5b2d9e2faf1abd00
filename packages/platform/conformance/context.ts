import type { Fetch } from '../outbound/fetchWhole.ts';

/** A call that came in at the receiver of the conformance test. */
export interface ReceivedCall {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** How a run of a program ended. */
export interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

/** What a row may use beyond the interface of the server: there where the test itself started the server, not elsewhere. */
export interface InHouse {
  /** A server that answers 204 to every call and that the service may call; `received` grows with each call. */
  receiver: { url: string; received: readonly ReceivedCall[] };
  /** Data folder of the server, which runs with a local chain: `devnet.json` is in there. */
  folder: string;
  /** Makes a further key with just these scopes; organization: the same as that of the key, or a new one. */
  createKey(scopes: readonly string[], organization?: 'same' | 'new'): Promise<string>;
  /** Runs `vouch` with the settings of the server, as its operator does, and gives what it printed. */
  operate(...words: string[]): Promise<string>;
  /** Files of the repository, by their path. */
  readFile(path: string): Promise<string>;
  node: NodeProgram;
}

/** The verifier node program. */
export interface NodeProgram {
  /** Folder of the built program. */
  bundle: string;
  /** An empty folder, for configuration files and keystores. */
  folder: string;
  /** Runs it to its end; a node is told to stop as soon as it has begun. */
  run(words: readonly string[], input?: string): Promise<Ended>;
}

/** What a row is given: the served product through its public interface. */
export interface ConformanceContext {
  /** Recommender and video, without a slash at the end. */
  baseUrl: string;
  /** Null where no gateway is to be checked. */
  gatewayUrl: string | null;
  apiKey: string;
  /** Every request goes through it. */
  fetch: Fetch;
  /** Begins every tag, model id and entity type that a row makes: no other run uses it. */
  prefix: string;
  /** Whether the organization of the key has nothing but what the rows make. */
  disposable: boolean;
  /** A video that the service may fetch, of 4 s at least. Null where there is none. */
  mediaUrl: string | null;
  inHouse: InHouse | null;
  /** What rows share, made once, by its name. */
  kept: Map<string, Promise<unknown>>;
}

/** One check of one statement. */
export interface ConformanceRow {
  /** Number of the statement, e.g. `B7`. */
  statement: string;
  /** What is asked and what must be answered, e.g. `three tags select the batch that has all three`. */
  shows: string;
  /** Rejects where it does not hold. @throws RowSkipped where it cannot be checked here */
  check(context: ConformanceContext): Promise<void>;
}

/** The rows of one product. */
export interface ConformanceSuite {
  name: string;
  rows: readonly ConformanceRow[];
  /** Makes what the rows share. */
  prepare(context: ConformanceContext): Promise<void>;
}

/** A row cannot be checked against this server, with this key; the message says why. */
export class RowSkipped extends Error {
  override readonly name = 'RowSkipped';
}

/** @throws RowSkipped naming what is missing where it is null */
export function need<Value>(value: Value | null, what: string): Value {
  if (value === null) throw new RowSkipped(`needs ${what}`);
  return value;
}

/** What the test that started the server itself can do. @throws RowSkipped saying for what it is needed */
export function inHouseOf({ inHouse }: ConformanceContext, what: string): InHouse {
  return need(inHouse, `${what}, which only Vouch’s own test has`);
}

/** Makes something once per run; what failed is tried again. */
export function keep<Value>({ kept }: ConformanceContext, name: string, make: () => Promise<Value>): Promise<Value> {
  const there = kept.get(name);
  if (there !== undefined) return there as Promise<Value>;
  const made = make();
  kept.set(name, made);
  made.catch(() => kept.delete(name));
  return made;
}

let names = 0;

/** A name that nobody else uses, e.g. for a tag or a model. */
export function uniqueName({ prefix }: ConformanceContext, word: string): string {
  names += 1;
  return `${prefix}-${word}-${names}`;
}
