import { expect, it } from 'vitest';
import { whyNotMade } from './cluster.ts';

const output = (line: string): string => `The files belonging to this database system will be owned by user "nobody".
running bootstrap script ... ${line}
child process exited with exit code 1
initdb: removing contents of data directory "/srv/vouch/postgres/data.unfinished"
`;

it('a database that cannot be made is explained by the line of its server, and by the full disk where that is why', () => {
  expect(whyNotMade(output('2026-11-23 09:39:35.803 UTC [2936] FATAL:  could not write to file "pg_wal/xlogtemp.2936": No space left on device')))
    .toBe('its disk is full. Free space, or choose another folder with VOUCH_DATA.');
  expect(whyNotMade(output('2026-11-23 09:39:35.803 UTC [2936] FATAL:  could not create shared memory segment'))).toBe('FATAL:  could not create shared memory segment');
  expect(whyNotMade('initdb: invalid locale name\n')).toBe('initdb: invalid locale name');
});
