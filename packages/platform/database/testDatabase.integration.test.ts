import { expect, test } from 'vitest';
import { openTestDatabase } from '../testing/testDatabase.ts';

test('two test databases are fresh, migrated and apart from each other', async () => {
  const [first, second] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  try {
    const insert = `INSERT INTO organizations (id, name) VALUES ('o', 'one')`;
    await first.query(insert);
    const { rows } = await second.query('SELECT count(*)::int AS n FROM organizations');
    expect(rows).toEqual([{ n: 0 }]);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});
