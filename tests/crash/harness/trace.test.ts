import { expect, it } from 'vitest';
import { parseTrace } from './trace.ts';

it('finds a call that others interrupted where it ended', () => {
  const trace = [
    '41  fdatasync(7</data/pg_wal/01> <unfinished ...>',
    '40  write(20<socket:[1]>, "HTTP/1.1 200 OK\\r"..., 300 <unfinished ...>',
    '41  <... fdatasync resumed>)          = 0',
    '40  <... write resumed>)              = 300',
    '42  fsync(8</data/base>)              = 0',
    '43  fsync(9</data/gone>)              = -1 EIO (Input/output error)',
    '44  fsync(9</data/unended> <unfinished ...>',
  ].join('\n');
  expect(parseTrace(trace).map(({ name, path }) => [name, path])).toEqual([
    ['fdatasync', '/data/pg_wal/01'], ['write', 'socket:[1]'], ['fsync', '/data/base'],
  ]);
});
