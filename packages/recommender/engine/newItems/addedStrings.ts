import { Strings } from '../modelFile/sectionMemory.ts';

/** A string table of a model file with further strings. */
export class AddedStrings extends Strings {
  private readonly table: Strings;
  private readonly first: number;
  private readonly added: Buffer[] = [];

  /** @param first number of the first further string */
  constructor(table: Strings, first: number) {
    super({ readStarts: () => undefined, readText: () => undefined });
    this.table = table;
    this.first = first;
  }

  push(text: string): void {
    this.added.push(Buffer.from(text, 'utf8'));
  }

  override locate(at: number): void {
    if (at < this.first) {
      this.table.locate(at);
      this.bytes = this.table.bytes;
      this.start = this.table.start;
      this.end = this.table.end;
      return;
    }
    this.bytes = this.added[at - this.first] ?? nothing;
    this.start = 0;
    this.end = this.bytes.length;
  }
}

const nothing = Buffer.alloc(0);
