/** Records the requests of a client and the responses. After a crash, the effects must match this record. */
export interface Ledger<Effect> {
  /** Records a request before it is sent. */
  begin(id: string, effect: Effect): void;
  /** Records that the service confirmed the request. `effect` may add facts from the response. */
  acknowledge(id: string, effect?: Effect): void;
  /** Records that the service refused the request; the effect must not exist. */
  refuse(id: string): void;
  entry(id: string): LedgerEntry<Effect> | undefined;
  entries(): Iterable<[string, LedgerEntry<Effect>]>;
}

interface LedgerEntry<Effect> {
  effect: Effect;
  /** `open`: no response arrived, so the effect may exist completely or not at all. */
  state: 'open' | 'acknowledged' | 'refused';
}

/** Result of the comparison. Lists contain the ids of requests with a description of the fault. */
export interface Verdict {
  acknowledged: number;
  present: number;
  /** Acknowledged, but the effect does not exist. */
  lost: string[];
  /** The effect exists more than once. */
  twice: string[];
  /** The effect is incomplete, or exists although the request was refused. */
  faulty: string[];
  /** The effect exists without a request. */
  unknown: string[];
}

export function createLedger<Effect>(): Ledger<Effect> {
  const entries = new Map<string, LedgerEntry<Effect>>();
  const known = (id: string): LedgerEntry<Effect> => {
    const entry = entries.get(id);
    if (entry === undefined) throw new Error(`request ${id} was answered, but never begun`);
    return entry;
  };
  return {
    begin(id, effect) {
      if (entries.has(id)) throw new Error(`request ${id} was begun twice`);
      entries.set(id, { effect, state: 'open' });
    },
    acknowledge(id, effect) {
      entries.set(id, { effect: effect ?? known(id).effect, state: 'acknowledged' });
    },
    refuse(id) {
      entries.set(id, { effect: known(id).effect, state: 'refused' });
    },
    entry: (id) => entries.get(id),
    entries: () => entries.entries(),
  };
}

/** Compares the recorded responses with the existing effects. */
export function checkLedger<Effect>(
  ledger: Ledger<Effect>,
  effects: readonly { id: string; effect: Effect }[],
  findFault: (id: string, effect: Effect, intended: Effect) => string | null,
): Verdict {
  const verdict: Verdict = { acknowledged: 0, present: effects.length, lost: [], twice: [], faulty: [], unknown: [] };
  const times = new Map<string, number>();
  for (const { id, effect } of effects) {
    times.set(id, (times.get(id) ?? 0) + 1);
    const entry = ledger.entry(id);
    if (entry === undefined) {
      verdict.unknown.push(id);
      continue;
    }
    const fault = entry.state === 'refused' ? 'it was refused, and is there' : findFault(id, effect, entry.effect);
    if (fault !== null) verdict.faulty.push(`${id}: ${fault}`);
  }
  for (const [id, count] of times) if (count > 1) verdict.twice.push(`${id}: ${count} times`);
  for (const [id, { state }] of ledger.entries()) {
    if (state !== 'acknowledged') continue;
    verdict.acknowledged++;
    if (!times.has(id)) verdict.lost.push(id);
  }
  return verdict;
}
