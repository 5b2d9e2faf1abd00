import type { ArmName } from './chooseArm.ts';

/**
 * Merges two rankings by team-draft interleaving (Radlinski, Kurup, Joachims 2008): in each round, a coin decides which arm picks first, and each arm picks
 * its best item that is not in the list yet. Both arms have the same number of items at the same places on average, so without a preference, users choose
 * items of both arms equally often.
 * @param coin returns true for heads, with probability 1/2
 */
export function teamDraft<Entry>(a: readonly Entry[], b: readonly Entry[], { limit, idOf, coin }: { limit: number; idOf(entry: Entry): string; coin(): boolean }): { entry: Entry; arm: ArmName }[] {
  const listed: { entry: Entry; arm: ArmName }[] = [];
  const ids = new Set<string>();
  const next = { a: 0, b: 0 };
  const pick = (arm: ArmName): void => {
    const ranking = arm === 'a' ? a : b;
    let entry = ranking[next[arm]];
    while (entry !== undefined && ids.has(idOf(entry))) entry = ranking[(next[arm] += 1)];
    if (entry === undefined || listed.length >= limit) return;
    ids.add(idOf(entry));
    listed.push({ entry, arm });
  };
  for (let before = -1; before < listed.length && listed.length < limit;) {
    before = listed.length;
    const first: ArmName = coin() ? 'a' : 'b';
    pick(first);
    pick(first === 'a' ? 'b' : 'a');
  }
  return listed;
}
