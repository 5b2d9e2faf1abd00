import { readBytes, sectionPlace, type SectionPlace } from '../modelFile/fileWords.ts';
import type { SectionFile } from '../modelFile/sectionFile.ts';
import type { ColumnFacts, ColumnType, ColumnValue } from '../data/column.ts';
import { toColumnValue } from './columnValue.ts';
import { visitMembers } from './visitMembers.ts';

/** Bytes for the texts of most entities; a longer text gets memory of its own. */
const usualBytes = 4_096;

/** Metadata of entities that are not items. They are stored as text, because a query reads the metadata of one such entity. */
export class UserColumns {
  private readonly types: ReadonlyMap<string, ColumnType>;
  private readonly file: SectionFile;
  private places: { offsets: SectionPlace; text: SectionPlace } | null = null;
  private readonly range = new Float64Array(2);
  private readonly rangeBytes = new Uint8Array(this.range.buffer);
  private readonly usual = Buffer.alloc(usualBytes);

  /** @param facts columns of the file's header; null for a file from before there were columns */
  constructor(file: SectionFile, facts: ColumnFacts | null) {
    this.file = file;
    this.types = new Map(facts?.users.map(({ name, type }) => [name, type]));
  }

  /**
   * Reads the metadata of an entity, by column name.
   * @throws Problem model-file-unreadable
   */
  read(node: number): Map<string, ColumnValue> {
    const values = new Map<string, ColumnValue>();
    if (this.types.size === 0) return values;
    visitMembers(this.textOf(node), (path, member) => {
      const type = this.types.get(path);
      if (type !== undefined) values.set(path, toColumnValue(member, type));
    });
    return values;
  }

  private textOf(node: number): string {
    this.places ??= { offsets: sectionPlace(this.file, 'node.metadata.offsets', 'float64'), text: sectionPlace(this.file, 'node.metadata.text', 'uint8') };
    readBytes(this.places.offsets, node * 8, this.rangeBytes);
    const [from = 0, to = 0] = this.range;
    const bytes = to - from;
    if (bytes === 0) return '';
    const text = bytes <= usualBytes ? this.usual.subarray(0, bytes) : Buffer.alloc(bytes);
    readBytes(this.places.text, from, text);
    return text.toString('utf8');
  }
}
