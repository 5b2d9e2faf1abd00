/** One result of a `vouch doctor` check. */
export type Finding = OkFinding | BadFinding;

interface OkFinding {
  status: 'ok';
  /** The observation, with values. */
  detail: string;
}

/** A finding that an operator should act on. Created only by a catalogue, so that the documentation has an entry for each. */
export interface BadFinding {
  status: 'warning' | 'fault';
  /** Stable name of the kind of finding; a heading of docs/guides/doctor.md. A retired code is never used again. */
  code: string;
  /** The observation, with values. */
  detail: string;
  /** What the operator should do. */
  remedy: string;
}

/** One entry of a catalogue of findings: the facts that are the same for each occurrence. */
interface FindingEntry {
  status: BadFinding['status'];
  /** Short sentence without facts of one occurrence. */
  title: string;
  /** Why the finding occurs and what follows from it, for the documentation page. */
  cause: string;
  /** What the operator should do. Used in the finding unless the check knows more. */
  remedy: string;
}

export type FindingEntries = Readonly<Record<string, FindingEntry>>;

/** A catalogue of findings. */
export interface FindingCatalogue<Code extends string = string> {
  readonly entries: Readonly<Record<Code, FindingEntry>>;
  /**
   * @param detail the observation, with values
   * @param remedy what to do in this case; without it, the remedy of the entry
   */
  found(code: Code, detail: string, remedy?: string): BadFinding;
}

/**
 * Declares the findings of one product.
 * @example
 * const zooFindings = defineFindings({
 *   'cage-open': { status: 'fault', title: 'A cage is open', cause: 'The lock reports no bolt.', remedy: 'Close the cage.' },
 * });
 * zooFindings.found('cage-open', 'the cage north is open');
 */
export function defineFindings<const Entries extends FindingEntries>(entries: Entries): FindingCatalogue<Extract<keyof Entries, string>> {
  return {
    entries,
    found(code, detail, remedy = entries[code]!.remedy) {
      return { status: entries[code]!.status, code, detail, remedy };
    },
  };
}
