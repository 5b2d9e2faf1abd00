import { expect, test } from 'vitest';
import { openTestDatabase } from '../testing/testDatabase.ts';

test('two test databases are fresh, migrated and apart from each other', async () => {
  const [first, second] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  try {
    const insert = `insert into organizations (id, name) values ('o', 'one')`;
    await first.query(insert);
    const { rows } = await second.query('select count(*)::int as n from organizations');
    expect(rows).toEqual([{ n: 0 }]);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});
