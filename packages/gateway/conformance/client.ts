import { expectStatus, HttpClient, type Call, type Reply } from '@vouch/platform/conformance/client';
import { RowSkipped } from '@vouch/platform/conformance/context';
import type { Fetch } from '@vouch/platform/outbound/fetchWhole';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { RequestRecord } from '../records/requestRecord.ts';
import { messagePaths, type Body, type UnsignedMessage } from './signMessage.ts';

export type { RequestRecord };

/** The headers that the specification requires of every message. */
export const messageHeaders = { origin: 'https://operator.example', 'user-agent': 'conformance', 'x-app-id': 'verifier' };

/** The answer to an accepted message. */
export interface Envelope {
  code: number;
  msg: string;
  data: { request_id: string; status: string; tx_hash: string | null } | null;
}

/** Time limit of a confirmation; a local chain produces one block per second. */
const confirmTimeoutMs = 180_000;
const pollMs = 100;
const ends = ['confirmed', 'failed', 'expired'];

/** HTTP client of the gateway without an API key, like the operators' clients. */
export class Client extends HttpClient {
  constructor(baseUrl: string, through?: Fetch) {
    super(baseUrl, '', through);
  }

  override async send(method: string, path: string, call?: Call): Promise<Reply> {
    return withinBudget(await super.send(method, path, call));
  }

  override async postText(path: string, text: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
    return withinBudget(await super.postText(path, text, headers));
  }

  post(kind: UnsignedMessage['kind'], body: unknown, headers: Record<string, string> = messageHeaders): Promise<Reply> {
    return this.send('POST', `/explorer_alphanet${messagePaths[kind]}`, { body, headers });
  }

  /**
   * Sends a message that must be accepted.
   * @returns the request id
   */
  async accept(kind: UnsignedMessage['kind'], body: Body): Promise<string> {
    const reply = expectStatus(await this.post(kind, body), 200);
    return reply.headers.get('location')?.split('/').at(-1) ?? '';
  }

  async record(requestId: string): Promise<RequestRecord> {
    return expectStatus(await this.get(`/gateway/requests/${requestId}`), 200).json<RequestRecord>();
  }

  /**
   * Waits until a request reaches a final state.
   * @throws Error after `confirmTimeoutMs`
   */
  async untilEnd(requestId: string): Promise<RequestRecord> {
    for (let waitedMs = 0; waitedMs < confirmTimeoutMs; waitedMs += pollMs) {
      const record = await this.record(requestId);
      if (ends.includes(record.status)) return record;
      await systemInterfaces.timers.sleep(pollMs);
    }
    throw new Error(`the message ${requestId} did not reach a final status; its record is ${JSON.stringify(await this.record(requestId))}`);
  }
}

/**
 * Skips a row if the signer's budget is exhausted: earlier runs and other operators use the same daily budgets, so such a refusal
 * does not concern the row.
 * @throws RowSkipped if the gateway refuses the message by quota
 */
function withinBudget(reply: Reply): Reply {
  if (reply.status !== 400 || !/"reason":\s*"quota"/.test(reply.text)) return reply;
  const { error = '' } = reply.json<{ error?: string }>();
  throw new RowSkipped(`needs a signer within the gateway's budgets and quotas; the gateway answered: ${error} `
    + 'Wait until then, or raise the limit on the server: a gas budget with vouch gateway budget (docs/guides/gateway.md), the number of messages per hour with VOUCH_SIGNER_QUOTA.');
}
