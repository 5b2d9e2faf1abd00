import type { Fault } from '@vouch/platform/errors/problem';
import { maxFaults } from './columns.ts';

const shownValueBytes = 80;

/** A value of a file for messages: decoded, shortened, line ends replaced by visible characters. */
export function showValue(bytes: Uint8Array, start: number, end: number): string {
  const cut = end - start > shownValueBytes;
  const shown = Buffer.from(bytes.subarray(start, cut ? start + shownValueBytes : end)).toString('utf8');
  return shown.replace(/\p{Cc}/gu, (sign) => JSON.stringify(sign).slice(1, -1)) + (cut ? '…' : '');
}

/** The faults found in one file, up to a maximum number. */
export class FaultList {
  readonly faults: Fault[] = [];
  private readonly location: string;

  constructor(fileName: string) {
    this.location = `file:${fileName}`;
  }

  get isFull(): boolean {
    return this.faults.length >= maxFaults;
  }

  add(fault: Omit<Fault, 'location'>): void {
    if (!this.isFull) this.faults.push({ location: this.location, ...fault });
  }
}
