import { readSync } from 'node:fs';
import { unreadable } from './modelFileErrors.ts';
import { findSection, type ElementType, type SectionFile } from './sectionFile.ts';
import type { WordSource } from './wordRows.ts';

/** Where a section lies: an open file, and the position of its first byte. Threads of a process share descriptors. */
export interface SectionPlace {
  path: string;
  name: string;
  descriptor: number;
  position: number;
}

export function sectionPlace(file: SectionFile, name: string, type: ElementType): SectionPlace {
  return { path: file.path, name, descriptor: file.handle.fd, position: file.dataStart + findSection(file, name, type).offset };
}

/**
 * Fills `target` from a byte of a section on. Reads are synchronous: from the page cache one costs 0.7 µs for 1.2 kB, an
 * asynchronous one of a pool of 8 costs 6.3 µs.
 * @throws Problem model-file-unreadable where the file ends before that
 */
export function readBytes(place: SectionPlace, offset: number, target: Uint8Array): void {
  if (readUpTo(place, offset, target) < target.length) throw unreadable(place.path, `it ends inside its section ${place.name}`);
}

/** The same as far as the file goes. @returns bytes that were read */
function readUpTo({ descriptor, position }: SectionPlace, offset: number, target: Uint8Array): number {
  let done = 0;
  while (done < target.length) {
    const bytes = readSync(descriptor, target, done, target.length - done, position + offset + done);
    if (bytes === 0) break;
    done += bytes;
  }
  return done;
}

/** Words of a section, each row read by itself. */
export class FileWords implements WordSource {
  readonly resident = null;
  protected readonly place: SectionPlace;

  constructor(place: SectionPlace) {
    this.place = place;
  }

  read(wordOffset: number, target: Uint8Array): void {
    readBytes(this.place, wordOffset * 4, target);
  }
}

/** Words of a section for rows that are read in rising order: a window of it at once. */
export class Readahead extends FileWords {
  private readonly window: Uint8Array;
  private first = 0;
  private end = 0;

  constructor(place: SectionPlace, windowBytes = 64 * 2 ** 10) {
    super(place);
    this.window = new Uint8Array(windowBytes);
  }

  override read(wordOffset: number, target: Uint8Array): void {
    const from = wordOffset * 4;
    if (from < this.first || from + target.length > this.end) {
      this.first = from;
      this.end = from + (target.length > this.window.length ? 0 : readUpTo(this.place, from, this.window));
    }
    if (from + target.length > this.end) return super.read(wordOffset, target);
    target.set(this.window.subarray(from - this.first, from - this.first + target.length));
  }
}
