import { describe, expect, it } from 'vitest';
import { convertMovies, parseCsv, splitTitle } from './convert.ts';

describe('the MovieLens converter', () => {
  it('takes the year off the title and keeps everything else of the name', () => {
    expect(splitTitle('Toy Story (1995)')).toEqual({ name: 'Toy Story', year: 1995 });
    expect(splitTitle("Bug's Life, A (1998)")).toEqual({ name: "Bug's Life, A", year: 1998 });
    expect(splitTitle('Rocky VI (1986) ')).toEqual({ name: 'Rocky VI', year: 1986 });
    expect(splitTitle('Cup, The (Phörpa) (1999)')).toEqual({ name: 'Cup, The (Phörpa)', year: 1999 });
    expect(splitTitle('Big Bang Theory, The (2007-)')).toEqual({ name: 'Big Bang Theory, The', year: 2007 });
    expect(splitTitle('Fawlty Towers (1975-1979)')).toEqual({ name: 'Fawlty Towers', year: 1975 });
    expect(splitTitle('Stranger Things')).toEqual({ name: 'Stranger Things', year: null });
  });

  it('keeps commas, quotes and letters beyond ASCII through reading and writing', () => {
    const movies = 'movieId,title,genres\n7789,"11\'09""01, Été (2002)",Drama|War\r\n5,"""Cats"" (1998)",(no genres listed)\n';
    const converted = convertMovies(movies, 'userId,movieId,rating,timestamp\n7,5,3.5,851866703\n');
    expect(parseCsv(converted.entitiesCsv)).toEqual([
      { id: 'm7789', type: 'movie', name: '11\'09"01, Été', metadata: '{"genres":["Drama","War"],"year":2002}', media_url: '' },
      { id: 'm5', type: 'movie', name: '"Cats"', metadata: '{"year":1998}', media_url: '' },
    ]);
    expect(parseCsv(converted.interactionsCsv)).toEqual([
      { type: 'rating', source_id: 'u7', target_id: 'm5', timestamp: '851866703', metadata: '{"rating":3.5}' },
    ]);
    expect(converted.names.get('m5')).toBe('"Cats"');
  });

  it('refuses a record that does not fit its header, and a quote that is never closed', () => {
    expect(() => parseCsv('a,b\n1,2\n3\n')).toThrow('record 2 has 1 fields');
    expect(() => parseCsv('a,b\n1,"2\n3,4\n')).toThrow('is not closed');
  });
});
