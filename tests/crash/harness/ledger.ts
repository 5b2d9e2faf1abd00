/** What a client asked for, and what it was told: the truth that a crash must not change. */
export interface Ledger<Effect> {
  /** Notes a request before it leaves. */
  begin(id: string, effect: Effect): void;
  /** Notes that the service said it is done. `effect` may add what only the answer told. */
  acknowledge(id: string, effect?: Effect): void;
  /** Notes that the service said it is not done, so that it must not be there. */
  refuse(id: string): void;
  entry(id: string): LedgerEntry<Effect> | undefined;
  entries(): Iterable<[string, LedgerEntry<Effect>]>;
}

interface LedgerEntry<Effect> {
  effect: Effect;
  /** `open`: no answer came, so both outcomes are right, but neither half of one. */
  state: 'open' | 'acknowledged' | 'refused';
}

/** What the comparison found; lists hold ids of requests with what is wrong. */
export interface Verdict {
  acknowledged: number;
  present: number;
  /** Acknowledged and not there. */
  lost: string[];
  /** There more than once. */
  twice: string[];
  /** There, but not as a whole; or there although refused. */
  faulty: string[];
  /** There, though nobody asked for it. */
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

/** Compares what was said with what is there. */
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
