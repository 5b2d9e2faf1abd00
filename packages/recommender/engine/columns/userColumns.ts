import { readBytes, sectionPlace } from '../modelFile/fileWords.ts';
import type { SectionFile } from '../modelFile/sectionFile.ts';
import type { ColumnFacts, ColumnValue } from '../data/column.ts';
import { toColumnValue } from './columnValue.ts';
import { visitMembers } from './visitMembers.ts';

/**
 * Reads the metadata of an entity that is not an item, by column name. Metadata are stored as text, because a query reads the
 * metadata of one such entity.
 * @param facts columns of the file's header; null for a file from before there were columns
 * @throws Problem model-file-unreadable
 */
export function readUserColumns(file: SectionFile, facts: ColumnFacts | null, node: number): ReadonlyMap<string, ColumnValue> {
  const values = new Map<string, ColumnValue>();
  if (facts === null || facts.users.length === 0) return values;
  const range = new Float64Array(2);
  readBytes(sectionPlace(file, 'node.metadata.offsets', 'float64'), node * 8, new Uint8Array(range.buffer));
  const [from = 0, to = 0] = range;
  const text = Buffer.alloc(to - from);
  if (text.length > 0) readBytes(sectionPlace(file, 'node.metadata.text', 'uint8'), from, text);
  const types = new Map(facts.users.map(({ name, type }) => [name, type]));
  visitMembers(text.toString('utf8'), (path, member) => {
    const type = types.get(path);
    if (type !== undefined) values.set(path, toColumnValue(member, type));
  });
  return values;
}
