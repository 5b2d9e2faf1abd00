import { shorten } from '@vouch/platform/errors/shorten';
import type { EndpointAddress } from './endpointAddress.ts';
import { EndpointFault, RpcRefused } from './rpcErrors.ts';
import type { RpcCall, RpcOutcome } from './rpcClient.ts';

/** Maximum length of a node's error text in messages. */
const saidLengthMax = 500;

/** Error codes for "temporarily unavailable" and "method not supported": another endpoint may be able to answer. */
const notHereCodes: ReadonlySet<number> = new Set([-32601, -32603, -32002, -32005, -32097, -32098, 429]);
const busyCodes: ReadonlySet<number> = new Set([-32005, 429]);
const busyWords = /rate.?limit|too many requests|request limit|capacity|throttl/i;

/** A call with its JSON-RPC id. */
export interface SentCall extends RpcCall {
  id: number;
}

/**
 * Reads the answer to one call. The answer is untrusted.
 * @throws EndpointFault if it is not an answer to this call; RpcRefused if the node returned an error
 */
export function parseAnswer(address: EndpointAddress, call: SentCall, answer: unknown): unknown {
  if (!isObject(answer)) throw new EndpointFault(address.host, 'unreadable', `answered ${call.method} with an invalid JSON-RPC response`);
  // A node that cannot parse a request answers with id null.
  if (answer['id'] !== call.id && !(answer['id'] === null && isObject(answer['error']))) {
    throw new EndpointFault(address.host, 'unreadable', `answered ${call.method} with the response to another call`);
  }
  const error = answer['error'];
  if (error !== undefined && error !== null) throw parseRefusal(address, call.method, error);
  if (!('result' in answer)) throw new EndpointFault(address.host, 'unreadable', `answered ${call.method} with neither result nor error`);
  return answer['result'];
}

/** Reads the answers to a batch and returns the outcomes in the order of the calls. A missing answer is an EndpointFault. */
export function parseBatchAnswer(address: EndpointAddress, calls: readonly SentCall[], answers: readonly unknown[]): RpcOutcome[] {
  const byId = new Map<unknown, unknown>();
  for (const answer of answers) if (isObject(answer)) byId.set(answer['id'], answer);
  return calls.map((call) => {
    const answer = byId.get(call.id);
    if (answer === undefined) {
      return { ok: false, error: new EndpointFault(address.host, 'unreadable', `did not answer ${call.method} in its response to a batch`) };
    }
    try {
      return { ok: true, result: parseAnswer(address, call, answer) };
    } catch (error) {
      return { ok: false, error: error as Error };
    }
  });
}

/** Whether another endpoint may be able to answer the call that failed with this error. */
export function mayOthersKnow(error: unknown): boolean {
  return error instanceof EndpointFault || (error instanceof RpcRefused && isNotHere(error.code, error.said));
}

function isNotHere(code: number, said: string): boolean {
  return notHereCodes.has(code) || busyWords.test(said);
}

/** Converts a refusal because of too many requests to an EndpointFault; returns null for every other error. */
export function busyFault(error: unknown): EndpointFault | null {
  if (!(error instanceof RpcRefused) || !(busyCodes.has(error.code) || busyWords.test(error.said))) return null;
  return new EndpointFault(error.host, 'busy', `is busy: ${error.said}`, error);
}

function parseRefusal(address: EndpointAddress, method: string, error: unknown): RpcRefused {
  const { code, message, data } = isObject(error) ? error : { code: 0, message: error, data: undefined };
  const said = typeof message === 'string' && message !== '' ? message : 'no reason given';
  return new RpcRefused(address.host, method, {
    code: typeof code === 'number' && Number.isFinite(code) ? code : 0,
    said: showable(address, said),
    data,
  });
}

/** Sanitizes a node's text for log lines: shortened, without control characters, and without secrets of the endpoint's URL. */
function showable({ secrets }: EndpointAddress, text: string): string {
  let shown = text.slice(0, 4 * saidLengthMax).replaceAll(/\p{Cc}+/gu, ' ');
  for (const secret of secrets) shown = shown.replaceAll(secret, '[secret]');
  return shorten(shown, saidLengthMax);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
