import { copyFile, readFile } from 'node:fs/promises';
import type { FileConverters } from '@vouch/recommender/events/foldEvents';

/** Takes CSV files as they are. The production code starts a child process, which the simulation cannot hold back; its result depends on the file alone. */
export const simulatedConverters: FileConverters = {
  async convert({ contentPath, parquetPath }) {
    const text = await readFile(contentPath, 'utf8');
    await copyFile(contentPath, parquetPath);
    const rows = text.trimEnd().split('\n');
    return { outcome: 'converted', kind: rows[0]!.includes('source_id') ? 'interaction' : 'entity', rows: rows.length - 1, bytes: text.length };
  },
  close: async () => {},
};
