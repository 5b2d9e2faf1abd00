import type { Database } from '@vouch/platform/database/database';
import { expect, it } from 'vitest';
import type { NewEvent } from './event.ts';
import { EventWriter } from './eventWriter.ts';
import { RecentEvents } from './recentEvents.ts';

/** Events of an organization without ids. */
function events(organizationId: string, count: number): NewEvent[] {
  return Array.from({ length: count }, () => ({ kind: 'interaction', organization_id: organizationId, event_id: null, tags: [], target_id: 'a', source_id: 'u', type: 'view', metadata: null }) as unknown as NewEvent);
}

/** A writer whose transactions end when the test lets them, and the organizations of the events of each transaction. */
function startWriter(): { writer: EventWriter; groups: string[][]; commit(): Promise<void> } {
  const groups: string[][] = [];
  const commits: (() => void)[] = [];
  const transaction = {
    query: async (sql: string, values: readonly unknown[] = []) => {
      if (sql.includes('INSERT INTO events')) groups.push((JSON.parse(String(values[0])) as NewEvent[]).map((event) => event.organization_id));
      return { rows: [] };
    },
  };
  const database = {
    async transaction(work: (connection: typeof transaction) => Promise<unknown>) {
      const result = await work(transaction);
      await new Promise<void>((resolve) => commits.push(resolve));
      return result;
    },
  } as unknown as Database;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const commit = async (): Promise<void> => {
    await settle();
    commits.shift()?.();
    await settle();
  };
  return { writer: new EventWriter(database, { now: () => 0 }, new RecentEvents()), groups, commit };
}

it('organizations take turns: the events of one do not wait for the queue of another, and share short transactions', async () => {
  const { writer, groups, commit } = startWriter();
  const answers = [writer.write('busy', events('busy', 1))];
  for (let request = 0; request < 60; request++) answers.push(writer.write('busy', events('busy', 1)));
  answers.push(writer.write('quiet', events('quiet', 1)));
  for (let group = 0; group < 3; group++) await commit();
  expect(groups.map((group) => group.length)).toEqual([1, 32, 29]);
  expect(groups[1]?.slice(0, 3)).toEqual(['busy', 'quiet', 'busy']);
  expect((await Promise.all(answers)).every(({ accepted }) => accepted === 1)).toBe(true);
});

it('transactions stay short for a while after another organization has sent events, and are long for one alone', async () => {
  const { writer, groups, commit } = startWriter();
  const sendBusy = async (): Promise<number | undefined> => {
    const answers = Array.from({ length: 50 }, () => writer.write('busy', events('busy', 1)));
    for (let group = 0; group < 4; group++) await commit();
    await Promise.all(answers);
    return groups.map((group) => group.length).findLast((length) => length > 1);
  };
  expect(await sendBusy()).toBe(49);
  const quiet = writer.write('quiet', events('quiet', 1));
  await commit();
  await quiet;
  expect(await sendBusy()).toBe(17);
  for (let transactions = 0; transactions < 100; transactions += 3) await sendBusy();
  expect(await sendBusy()).toBe(49);
});

it('a large request waits alone if it does not fit beside the others', async () => {
  const { writer, groups, commit } = startWriter();
  const answers = [writer.write('a', events('a', 1)), writer.write('b', events('b', 1)), writer.write('a', events('a', 1_000)), writer.write('c', events('c', 1))];
  for (let group = 0; group < 3; group++) await commit();
  expect(groups.map((group) => group.length)).toEqual([1, 2, 1_000]);
  expect(groups[1]).toEqual(['b', 'c']);
  await Promise.all(answers);
});

it('an organization fills half of the memory at most, so that the events of others are accepted', async () => {
  const { writer, commit } = startWriter();
  const answers = [writer.write('busy', events('busy', 1))];
  for (let request = 0; request < 25; request++) answers.push(writer.write('busy', events('busy', 1_000)));
  await expect(writer.write('busy', events('busy', 1))).rejects.toMatchObject({ code: 'too-many-in-progress', headers: { 'retry-after': '1' } });
  answers.push(writer.write('quiet', events('quiet', 1)));
  for (let group = 0; group < 30; group++) await commit();
  expect(await Promise.all(answers)).toHaveLength(27);
});
