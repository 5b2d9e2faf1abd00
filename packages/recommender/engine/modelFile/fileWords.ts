import { readSync } from 'node:fs';
import { unreadable } from './modelFileErrors.ts';
import { findSection, type ElementType, type SectionFile } from './sectionFile.ts';
import type { WordSource } from './wordRows.ts';

/**
 * Position of a section: an open file and the offset of the section's first byte. Threads of a process share file
 * descriptors.
 */
export interface SectionPlace {
  path: string;
  name: string;
  descriptor: number;
  position: number;
}

/**
 * Returns the position of a section in an open file.
 * @throws Problem model-file-unreadable if the section is missing or has another element type
 */
export function sectionPlace(file: SectionFile, name: string, type: ElementType): SectionPlace {
  return { path: file.path, name, descriptor: file.handle.fd, position: file.dataStart + findSection(file, name, type).offset };
}

/**
 * Fills `target` with bytes of a section, from `offset` on. Reads are synchronous, because a synchronous read of 1.2 kB from
 * the page cache takes 0.7 µs and an asynchronous read from a pool of 8 threads takes 6.3 µs.
 * @throws Problem model-file-unreadable if the file ends before `target` is full
 */
export function readBytes(place: SectionPlace, offset: number, target: Uint8Array): void {
  if (readUpTo(place, offset, target) < target.length) throw unreadable(place.path, `it ends inside its section ${place.name}`);
}

/**
 * Reads as many bytes as the file has.
 * @returns number of bytes read
 */
function readUpTo({ descriptor, position }: SectionPlace, offset: number, target: Uint8Array): number {
  let done = 0;
  while (done < target.length) {
    const bytes = readSync(descriptor, target, done, target.length - done, position + offset + done);
    if (bytes === 0) break;
    done += bytes;
  }
  return done;
}

/** Words of a section; each row is read with its own call. */
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

/** Words of a section for rows read in ascending order: each file read fetches a window of the section. */
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
