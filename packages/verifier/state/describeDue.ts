import type { KeptAttestation } from './nodeState.ts';

/**
 * Describes the reports that a node owes when it leaves the active set: the contract expects them from a node that has left, too.
 * @param chainTime seconds since 1970; null if unknown
 * @returns the beginning of a sentence; null if no report is due
 */
export function describeDue(attestations: Iterable<KeptAttestation>, chainTime: number | null): string | null {
  const deadlines = [...attestations].flatMap(({ state, deadline }) => ((state === 'chosen' || state === 'sent') && deadline !== null && deadline >= (chainTime ?? 0) ? [deadline] : []));
  if (deadlines.length === 0) return null;
  const until = new Date(Math.max(...deadlines) * 1_000).toISOString();
  const one = deadlines.length === 1;
  return `${one ? 'One report' : `${deadlines.length} reports`} of this node ${one ? 'is' : 'are'} not on the chain yet, and ${one ? 'is' : 'are'} due until ${until} also after the node has left`;
}
