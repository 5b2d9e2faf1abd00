import { expectStatus, HttpClient, type Reply } from '@vouch/platform/conformance/client';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { RunRecord } from '../runs/run.schema.ts';

export type { RunRecord };

export const createPath = '/v1video-summarization/create';

/** Time limit of a run, ms. A run of a short video takes seconds; a run of minutes hangs. */
const runTimeoutMs = 240_000;
const pollMs = 50;

/** HTTP client of a video summarization server. Returns answers with any status. */
export class Client extends HttpClient {
  /** Returns a client of the same server with another key. */
  withKey(apiKey: string): Client {
    return new Client(this.baseUrl, apiKey, this.fetch);
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

  /** Fetches a file by its link. */
  file(url: string, method: 'GET' | 'HEAD' = 'GET'): Promise<Response> {
    return this.fetch(url, { method });
  }

  /** Waits until a run's record satisfies a condition; by default, until the run has ended with any status. */
  async untilStatus(runId: string, enough: (record: RunRecord) => boolean = hasEnded): Promise<RunRecord> {
    let record: RunRecord | null = null;
    for (let waitedMs = 0; waitedMs < runTimeoutMs; waitedMs += pollMs) {
      record = expectStatus(await this.status(runId), 200).json<RunRecord>();
      if (enough(record)) return record;
      await systemInterfaces.timers.sleep(pollMs);
    }
    throw new Error(`the run ${runId} did not get there; its record is ${JSON.stringify(record)}`);
  }

  /** Starts a run and waits until it has ended. */
  async runToEnd(body: unknown): Promise<RunRecord> {
    return this.untilStatus((await this.begin(body)).run_id);
  }
}

/** Whether a run has ended with any status. */
export function hasEnded({ status }: RunRecord): boolean {
  return status === 'completed' || status === 'error' || status === 'cancelled';
}
