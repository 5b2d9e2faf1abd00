import { readdir } from 'node:fs/promises';
import { measureRss } from '../../bench/harness/measureRss.ts';
import { serveVouch, type ServedVouch, type ServeOptions } from '../../bench/harness/serveVouch.ts';
import { connectVouch, problemCode, type Answer, type VouchClient } from '../../bench/harness/vouchClient.ts';

/** One test that is too heavy for every run. */
export interface HeavyTest {
  name: string;
  /** What it shows, in one sentence. */
  guarantee: string;
  /** Why it cannot run here, or null. */
  skip(): Promise<string | null>;
  /** Rejects where the guarantee does not hold. */
  run(print: (line: string) => void): Promise<void>;
}

/** What a refused upload must leave as it was. */
export interface StoredState {
  batchIds: string[];
  blobs: number;
}

export interface RunningVouch {
  server: ServedVouch;
  client: VouchClient;
}

/** An upload of any size stays under this much resident memory beyond idle, children included. */
export const uploadMemoryLimit = 400 * 2 ** 20;

/** Starts a server for the duration of some work. */
export async function withVouch(work: (running: RunningVouch) => Promise<void>, options: ServeOptions = {}): Promise<void> {
  const server = await serveVouch({ ...options, environment: { VOUCH_LOG_LEVEL: 'warn', ...options.environment } });
  try {
    await work({ server, client: connectVouch(server.url, server.key) });
  } finally {
    await server.stop();
  }
}

/** The batches that the server lists, and the blobs in its data folder. */
export async function readState({ server, client }: RunningVouch): Promise<StoredState> {
  const names = await readdir(server.folder, { recursive: true });
  return {
    batchIds: (await client.batches()).map((batch) => batch.batch_id).sort(),
    blobs: names.filter((name) => /sha256-[0-9a-f]{64}$/.test(name)).length,
  };
}

/** Runs an upload that must be refused: with this status and code, in bounded memory, leaving nothing behind. */
export async function expectRefused(
  running: RunningVouch,
  upload: () => Promise<Answer>,
  wanted: { status: number; code: string },
  print: (line: string) => void,
): Promise<Answer> {
  const before = await readState(running);
  const { result: answer, beyondIdleBytes } = await measureRss(running.server.processId, upload);
  print(`answered ${answer.status} ${problemCode(answer)}, peak ${Math.round(beyondIdleBytes / 2 ** 20)} MB beyond idle`);
  print(`detail: ${(answer.body as { detail?: string }).detail ?? JSON.stringify(answer.body)}`);
  expectEqual('status and code', { status: answer.status, code: problemCode(answer) }, wanted);
  expectTrue(`memory beyond idle is ${beyondIdleBytes}, the limit ${uploadMemoryLimit}`, beyondIdleBytes <= uploadMemoryLimit);
  expectEqual('batches and blobs', await readState(running), before);
  return answer;
}

export function expectEqual(what: string, found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${what}: found ${left}, expected ${right}`);
}

export function expectTrue(what: string, holds: boolean): void {
  if (!holds) throw new Error(what);
}
