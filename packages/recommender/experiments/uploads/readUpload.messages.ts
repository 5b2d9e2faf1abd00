/** Request to the child process to read the interactions of a Parquet file. */
export interface ReadRequest {
  path: string;
  /** Folder for intermediate data that does not fit in memory. */
  temporaryFolder: string;
  /** Interaction types that are read. */
  types: readonly string[];
  /** Earliest time, in ms since the Unix epoch. */
  from: number;
}

/** An interaction of the file. */
export interface UploadedInteraction {
  source_id: string;
  type: string;
  happened_at: number;
}

/** Request for the next page, after the parent has stored the page before. */
export const nextPage = 'next';

/** @throws Error if the message is not a page of interactions */
export function parsePage(message: unknown): UploadedInteraction[] {
  if (Array.isArray(message) && message.every((row) => typeof row === 'object' && row !== null && 'source_id' in row && 'happened_at' in row)) return message as UploadedInteraction[];
  throw new Error('the message is not a page of interactions');
}

/** @throws Error if the message does not have this form */
export function parseReadRequest(message: unknown): ReadRequest {
  if (typeof message === 'object' && message !== null && 'path' in message && 'types' in message && 'from' in message && 'temporaryFolder' in message) return message as ReadRequest;
  throw new Error('the message is not a request to read a file');
}
