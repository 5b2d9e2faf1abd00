import { describe, expect, it } from 'vitest';
import { colourNumber, previewColour, unspecified, unspecifiedColour } from './colour.ts';

describe('the colour of a preview', () => {
  it('is that of the file, also where it says nothing', () => {
    const film = { primaries: 5, transfer: 6, matrix: 5 };
    expect(previewColour(film)).toEqual(film);
    expect(previewColour(unspecifiedColour)).toEqual(unspecifiedColour);
  });

  it('is that of HD video where PQ or HLG was mapped to it', () => {
    for (const name of ['smpte2084', 'arib-std-b67']) {
      expect(previewColour({ primaries: 9, transfer: colourNumber('transfer', name), matrix: 9 })).toEqual({ primaries: 1, transfer: 1, matrix: 1 });
    }
  });

  it('has the matrix by which RGB was made to YUV', () => {
    expect(previewColour({ primaries: 1, transfer: 13, matrix: colourNumber('matrix', 'gbr') })).toEqual({ primaries: 1, transfer: 13, matrix: 6 });
  });

  it('is unspecified for a name that nobody knows', () => {
    expect([colourNumber('matrix', 'unknown'), colourNumber('primaries', ''), colourNumber('transfer', 'toString')]).toEqual([unspecified, unspecified, unspecified]);
  });
});
