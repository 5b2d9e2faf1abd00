import type { Operation } from '@vouch/chain/messages/operation';
import type { Alarms } from '../context/alarms.ts';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import { SendFault, type Sender } from '../context/sender.ts';

/** Time without an accepted message after which an alarm is raised. */
const outageMs = 120_000;
/** A gateway may see a block later than the RPC endpoint. Refusals that last longer have another cause. */
const disagreementMs = 45_000;
/** Longer than any delay between two attempts. After this time without a failure, or after the clock was changed, the next failure starts a new series. */
const rowEndsMs = 900_000;

/** Refusal codes that contradict the chain as this node sees it: the node sends nothing that the contract would refuse. */
const contradictions: ReadonlySet<string> = new Set([
  'not-chosen', 'index-invalid', 'attestation-unknown', 'selection-pending', 'report-deadline-passed', 'already-reported', 'not-active', 'no-weight',
  'signer-unregistered', 'already-active', 'message-expired', 'expires-too-soon', 'expires-too-late',
]);

/** Wraps a sender and raises alarms when nothing is accepted, or when gateway and RPC endpoint contradict each other. */
export function watchSender(sender: Sender, alarms: Alarms, clock: Clock): Sender {
  const silent = new Row(clock);
  const contradicted = new Row(clock);
  const note = (error: unknown, kind: Operation['kind']): void => {
    if (!(error instanceof SendFault)) return;
    if (error.kind === 'unavailable') {
      const silentMs = silent.note();
      if (silentMs >= outageMs) alarms.raise('gateway-unavailable', `No message could be submitted for ${Math.round(silentMs / 60_000)} minutes. ${error.message}`);
      return;
    }
    silent.end();
    alarms.clear('gateway-unavailable');
    if (error.code === 'balance') alarms.raise('balance-low', `${error.message} Send native currency of the chain to the key, or use a gateway (chain.enable_gas_mode: false).`);
    if (error.code === 'wrong-deployment') alarms.raise('gateway-disagrees', `gasless_service.url is the URL of another deployment of the gateway than the one that this node signs for. ${error.message}`);
    if (error.code === 'signer-mismatch') alarms.raise('gateway-disagrees', `The gateway expects another signing domain: compare signature.domain_name, signature.domain_version and chain.chain_id with its GET /gateway/info. ${error.message}`);
    if (error.code === null || !contradictions.has(error.code)) return;
    if (contradicted.note() < disagreementMs) return;
    alarms.raise('gateway-disagrees', `The chain at the RPC endpoint allows this node's ${kind}, but the gateway does not: one of the two is behind, or uses another chain or contract. ${error.message}`);
  };
  return {
    async send(operation, before, signal) {
      try {
        await sender.send(operation, before, signal);
      } catch (error) {
        note(error, operation.kind);
        throw error;
      }
      silent.end();
      contradicted.end();
      for (const code of ['gateway-unavailable', 'gateway-disagrees', 'balance-low'] as const) alarms.clear(code);
    },
    ...(sender.sendData === undefined ? {} : { sendData: (data, before, signal) => sender.sendData!(data, before, signal) }),
    replacedNode: (signal) => sender.replacedNode(signal),
    tend: (signal) => sender.tend(signal),
  };
}

/** A series of failures of one kind without a success in between. */
class Row {
  readonly #clock: Clock;
  #since: number | null = null;
  #lastAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a failure. @returns milliseconds since the first failure of the series */
  note(): number {
    const now = this.#clock.now();
    if (this.#since === null || Math.abs(now - this.#lastAt) > rowEndsMs) this.#since = now;
    this.#lastAt = now;
    return now - this.#since;
  }

  end(): void {
    this.#since = null;
  }
}
