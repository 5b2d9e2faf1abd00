import { busyFault, mayOthersKnow } from './answer.ts';
import { inOrder, type Endpoint } from './endpoint.ts';
import { EndpointFault, RpcRefused, RpcUnavailable } from './rpcErrors.ts';
import type { RpcCall, RpcOutcome } from './rpcClient.ts';

/** Maximum number of concurrent single calls to an endpoint that does not support batches. */
const callsAtOnce = 8;

/**
 * Sends a batch to the endpoints in order; each endpoint receives only the calls that the previous endpoints could not answer.
 * @throws RpcUnavailable if every endpoint failed; the reason of `signal`
 */
export async function callBatch(
  endpoints: readonly Endpoint[], calls: readonly RpcCall[], signal?: AbortSignal,
): Promise<RpcOutcome[]> {
  const outcomes: (RpcOutcome | undefined)[] = calls.map(() => undefined);
  const faults: EndpointFault[] = [];
  let open = calls.map((_call, at) => at);
  for (const endpoint of inOrder(endpoints)) {
    try {
      const answers = await batchAt(endpoint, open.map((at) => calls[at] as RpcCall), signal);
      answers.forEach((answer, place) => {
        outcomes[open[place] as number] = answer;
      });
      open = open.filter((_at, place) => isOpen(answers[place] as RpcOutcome));
      endpoint.note(answers.map((answer) => (answer.ok ? null : busyFault(answer.error))).find((fault) => fault !== null) ?? null);
    } catch (error) {
      if (!(error instanceof EndpointFault)) throw error;
      endpoint.note(error);
      faults.push(error);
    }
    if (open.length === 0) break;
  }
  if (faults.length === endpoints.length) throw new RpcUnavailable(describeCalls(calls), faults);
  return outcomes as RpcOutcome[];
}

function describeCalls(calls: readonly RpcCall[]): string {
  return calls.length === 1 ? (calls[0] as RpcCall).method : `a batch of ${calls.length} calls`;
}

async function batchAt(endpoint: Endpoint, calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcOutcome[]> {
  if (endpoint.takesBatches && calls.length > 1) {
    const outcomes = await endpoint.batch(calls, signal);
    if (outcomes !== null) return outcomes;
  }
  const outcomes: RpcOutcome[] = [];
  for (let at = 0; at < calls.length; at += callsAtOnce) {
    outcomes.push(...await Promise.all(calls.slice(at, at + callsAtOnce).map((call) => outcomeOf(endpoint, call, signal))));
  }
  // The endpoint is marked only if single calls succeed, which shows that the endpoint rejects only batches.
  if (calls.length > 1 && outcomes.some(({ ok }) => ok)) endpoint.takesBatches = false;
  return outcomes;
}

async function outcomeOf(endpoint: Endpoint, call: RpcCall, signal?: AbortSignal): Promise<RpcOutcome> {
  try {
    return { ok: true, result: await endpoint.call(call, signal) };
  } catch (error) {
    if (error instanceof RpcRefused) return { ok: false, error };
    throw error;
  }
}

function isOpen(outcome: RpcOutcome): boolean {
  return !outcome.ok && mayOthersKnow(outcome.error);
}
