import { describe, expect, it } from 'vitest';
import { interactionBytes, interactionRows } from './largeFiles.ts';

describe('the large files', () => {
  it('have exactly the bytes that were asked for, all in whole rows', () => {
    for (const bytes of [5_000, 65_536, 200_001, 1_000_000]) {
      const text = [...interactionBytes(bytes)].join('');
      expect(Buffer.byteLength(text)).toBe(bytes);
      const rows = text.trimEnd().split('\n').slice(1);
      expect(rows.every((row) => /^view,u1,i1,1700000000,"\{""note"":""x+""\}"$/.test(row))).toBe(true);
    }
  });

  it('have exactly the rows that were asked for, with the changed one in its place', () => {
    const lines = [...interactionRows(2_500, (row) => (row === 2_001 ? 'other\n' : null))].join('').trimEnd().split('\n');
    expect(lines.length).toBe(1 + 2_500);
    expect(lines[2_001]).toBe('other');
    expect(lines.filter((line) => line === 'other').length).toBe(1);
  });
});
