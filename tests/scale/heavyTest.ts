import { readdir } from 'node:fs/promises';
import { measureRss } from '../../bench/harness/measureRss.ts';
import { serveVouch, type ServedVouch, type ServeOptions } from '../../bench/harness/serveVouch.ts';
import { connectVouch, problemCode, type Answer, type VouchClient } from '../../bench/harness/vouchClient.ts';

/** A test that is too slow or too large for `npm test`. */
export interface HeavyTest {
  name: string;
  /** The guarantee that the test checks, in one sentence. */
  guarantee: string;
  /** Environment variables that change how much the test does, or with which seed. The recorded command sets them. */
  variables?: readonly string[];
  /** Returns why the test cannot run on this machine, or null. */
  skip(): Promise<string | null>;
  /** Rejects if the guarantee does not hold. */
  run(print: (line: string) => void): Promise<void>;
}

/** State that a refused upload must leave unchanged. */
export interface StoredState {
  batchIds: string[];
  blobs: number;
}

export interface RunningVouch {
  server: ServedVouch;
  client: VouchClient;
}

/** Limit of the resident memory beyond idle during an upload of any size, in bytes, child processes included. */
export const uploadMemoryLimit = 400 * 2 ** 20;

/** Runs `work` with a server and stops the server afterwards. */
export async function withVouch(work: (running: RunningVouch) => Promise<void>, options: ServeOptions = {}): Promise<void> {
  const server = await serveVouch({ ...options, environment: { VOUCH_LOG_LEVEL: 'warn', ...options.environment } });
  try {
    await work({ server, client: connectVouch(server.url, server.key) });
  } finally {
    await server.stop();
  }
}

/** Reads the batches that the server lists and the blobs in its data folder. */
export async function fetchState({ server, client }: RunningVouch): Promise<StoredState> {
  const names = await readdir(server.folder, { recursive: true });
  return {
    batchIds: (await client.batches()).map((batch) => batch.batch_id).sort(),
    blobs: names.filter((name) => /sha256-[0-9a-f]{64}$/.test(name)).length,
  };
}

/** Runs an upload that must be refused: with the given status and code, in bounded memory, and without leftovers. */
export async function expectRefused(
  running: RunningVouch,
  upload: () => Promise<Answer>,
  wanted: { status: number; code: string },
  print: (line: string) => void,
): Promise<Answer> {
  const before = await fetchState(running);
  const { result: answer, beyondIdleBytes } = await measureRss(running.server.processId, upload);
  print(`answered ${answer.status} ${problemCode(answer)}, peak ${Math.round(beyondIdleBytes / 2 ** 20)} MB beyond idle`);
  print(`detail: ${(answer.body as { detail?: string }).detail ?? JSON.stringify(answer.body)}`);
  expectEqual('status and code', { status: answer.status, code: problemCode(answer) }, wanted);
  expectTrue(`memory beyond idle is ${beyondIdleBytes}, the limit ${uploadMemoryLimit}`, beyondIdleBytes <= uploadMemoryLimit);
  expectEqual('batches and blobs', await fetchState(running), before);
  return answer;
}

export function expectEqual(what: string, found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${what}: found ${left}, expected ${right}`);
}

export function expectTrue(what: string, holds: boolean): void {
  if (!holds) throw new Error(what);
}
