/** Request to the child process to read the interactions of a Parquet file. */
export interface ReadRequest {
  path: string;
  /** Folder for intermediate data that does not fit in memory. */
  temporaryFolder: string;
  /** Interaction types that are read; null for all. */
  types: readonly string[] | null;
  /** Earliest time, in ms since the Unix epoch; interactions without a time are then not read. Null for all. */
  from: number | null;
  /** Whether the interactions of a source follow each other, the newest first and those without a time last. */
  bySource: boolean;
}

/** An interaction of a file. `time` is in ms since the Unix epoch. */
export type FileInteraction = readonly [source: string, target: string, type: string | null, time: number | null, weight: number | null, isRated: boolean];

/** Answer to a request. */
export interface InteractionPage {
  interactions: readonly FileInteraction[];
  /** Whether the file has no further page. */
  isLast: boolean;
}

/** Request for the next page, after the parent has processed the page before. */
export const nextPage = 'next';

/** @throws Error if the message is not a page of interactions */
export function parsePage(message: unknown): InteractionPage {
  if (typeof message === 'object' && message !== null && 'interactions' in message && Array.isArray(message.interactions) && 'isLast' in message) return message as InteractionPage;
  throw new Error('the message is not a page of interactions');
}

/** @throws Error if the message does not have this form */
export function parseReadRequest(message: unknown): ReadRequest {
  if (typeof message === 'object' && message !== null && ['path', 'temporaryFolder', 'types', 'from', 'bySource'].every((name) => name in message)) return message as ReadRequest;
  throw new Error('the message is not a request to read a file');
}
