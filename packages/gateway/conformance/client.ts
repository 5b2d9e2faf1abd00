import { expectStatus, HttpClient, type Call, type Reply } from '@vouch/platform/conformance/client';
import { RowSkipped } from '@vouch/platform/conformance/context';
import type { Fetch } from '@vouch/platform/outbound/fetchWhole';
import { realDoors } from '@vouch/platform/process/doors';
import type { RequestRecord } from '../records/requestRecord.ts';
import { messagePaths, type Body, type UnsignedMessage } from './signMessage.ts';

export type { RequestRecord };

/** What the specification requires of every message beside its body. */
export const messageHeaders = { origin: 'https://operator.example', 'user-agent': 'conformance', 'x-app-id': 'verifier' };

/** The answer to an accepted message. */
export interface Envelope {
  code: number;
  msg: string;
  data: { request_id: string; status: string; tx_hash: string | null } | null;
}

/** A local chain makes a block a second. */
const confirmTimeoutMs = 180_000;
const pollMs = 100;
const ends = ['confirmed', 'failed', 'expired'];

/** Talks to a served gateway as operators do: plain HTTP, without a key. */
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

  /** The id by which an accepted message can be followed. */
  async accept(kind: UnsignedMessage['kind'], body: Body): Promise<string> {
    const reply = expectStatus(await this.post(kind, body), 200);
    return reply.headers.get('location')?.split('/').at(-1) ?? '';
  }

  async record(requestId: string): Promise<RequestRecord> {
    return expectStatus(await this.get(`/gateway/requests/${requestId}`), 200).json<RequestRecord>();
  }

  /** Waits until a message has ended, however it ends. */
  async untilEnd(requestId: string): Promise<RequestRecord> {
    for (let waitedMs = 0; waitedMs < confirmTimeoutMs; waitedMs += pollMs) {
      const record = await this.record(requestId);
      if (ends.includes(record.status)) return record;
      await realDoors.timers.sleep(pollMs);
    }
    throw new Error(`the message ${requestId} did not end; its record is ${JSON.stringify(await this.record(requestId))}`);
  }
}

/**
 * Earlier runs and other operators use the budgets of the day, which says nothing about what a row checks.
 * @throws RowSkipped where the gateway pays for no more messages of the signer now
 */
function withinBudget(reply: Reply): Reply {
  if (reply.status !== 400 || !/"reason":\s*"quota"/.test(reply.text)) return reply;
  const { error = '' } = reply.json<{ error?: string }>();
  throw new RowSkipped(`needs a signer whose messages the gateway still pays for; it answered: ${error} `
    + 'Wait until then, or raise the limit on the server: a budget of gas with vouch gateway budget (docs/guides/gateway.md), the number of messages an hour with VOUCH_SIGNER_QUOTA.');
}
