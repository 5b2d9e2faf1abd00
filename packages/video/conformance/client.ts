import { realDoors } from '@vouch/platform/process/doors';
import type { RunRecord } from '../runs/run.schema.ts';

export type { RunRecord };

/** An answer, read to its end. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON. @throws Error that shows the body where it is none */
  json<Body>(): Body;
}

export const createPath = '/v1video-summarization/create';

/** A summary of a few seconds takes some seconds; one that takes minutes hangs. */
const runTimeoutMs = 100_000;
const pollMs = 50;

/** Talks to a served video summarization as its users do: plain HTTP with a key. Answers of any status are returned. */
export class Client {
  readonly baseUrl: string;
  readonly apiKey: string;

  /** @param apiKey empty for none */
  constructor(baseUrl: string, apiKey: string) {
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
  }

  /** The same server with another key. */
  withKey(apiKey: string): Client {
    return new Client(this.baseUrl, apiKey);
  }

  async send(method: string, path: string, { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {}): Promise<Reply> {
    const sent = new Headers(headers);
    if (this.apiKey !== '') sent.set('apikey', this.apiKey);
    if (body !== undefined) sent.set('content-type', 'application/json');
    const answer = await fetch(this.baseUrl + path, { method, headers: sent, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: <Body>() => parse<Body>(text) };
  }

  create(body: unknown): Promise<Reply> {
    return this.send('POST', createPath, { body });
  }

  /** Starts a run. */
  async begin(body: unknown): Promise<RunRecord> {
    return expectStatus(await this.create(body), 202).json<RunRecord>();
  }

  status(runId: string): Promise<Reply> {
    return this.send('GET', `/v1/status/${runId}`);
  }

  cancel(runId: string): Promise<Reply> {
    return this.send('GET', `/v1/cancel/${runId}`);
  }

  /** Waits until a run's record satisfies a condition; by default until it has ended, however it ends. */
  async untilStatus(runId: string, enough: (record: RunRecord) => boolean = hasEnded): Promise<RunRecord> {
    let record: RunRecord | null = null;
    for (let waitedMs = 0; waitedMs < runTimeoutMs; waitedMs += pollMs) {
      record = expectStatus(await this.status(runId), 200).json<RunRecord>();
      if (enough(record)) return record;
      await realDoors.timers.sleep(pollMs);
    }
    throw new Error(`the run ${runId} did not get there; its record is ${JSON.stringify(record)}`);
  }

  /** Starts a run and waits until it has ended. */
  async runToEnd(body: unknown): Promise<RunRecord> {
    return this.untilStatus((await this.begin(body)).run_id);
  }
}

export function hasEnded({ status }: RunRecord): boolean {
  return status === 'completed' || status === 'error' || status === 'cancelled';
}

/** @throws Error that shows the answer where it has another status */
export function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status === status) return reply;
  throw new Error(`the answer has status ${reply.status} instead of ${status}: ${reply.text.slice(0, 500)}`);
}

/** Checks that a request is refused for one field, which the answer names. @throws Error otherwise */
export function expectRefused(reply: Reply, location: string): void {
  const { errors = [] } = expectStatus(reply, 422).json<{ errors?: { location: string }[] }>();
  if (errors.some((fault) => fault.location.startsWith(location))) return;
  throw new Error(`the answer should name ${location}, but its faults are ${JSON.stringify(errors)}`);
}

function parse<Body>(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw new Error(`the answer is not JSON: ${text.slice(0, 500)}`);
  }
}
