import { expect, it } from 'vitest';
import type { DataSummary } from './arrays/trainingSnapshot.ts';
import { warnOfData } from './warnOfData.ts';

const interactions: DataSummary['interactions'] = {
  rows: 5, used: 5, types: 1, by_type: { view: 5 }, ignored: { too_old: 0, repeated: 0, self: 0 }, with_timestamp: 5, newest_timestamp: '2026-01-01T00:00:00.000Z',
};
const warnings = (rest: Partial<DataSummary['interactions']>) => warnOfData({ entities: { rows: 0, distinct: 0, types: 0, by_type: {} }, interactions: { ...interactions, ...rest }, batches: 1 }, {});

it('names timestamps of 1970, which are numbers of another unit', () => {
  expect(warnings({})).toEqual([]);
  expect(warnings({ early: 3 })).toEqual([{
    code: 'early-timestamps',
    detail: '3 pairs of source and target have a timestamp in 1970. Check the unit of the timestamps: numbers below 1e11 are seconds since 1970, so the date 20240131, a number of days and 0 all mean 1970. Write dates as 2024-01-31, and leave unknown timestamps empty.',
  }]);
});

const ids = { sources: 1508, targets: 2071, shared: 0, sources_without_entity: 1508, targets_without_entity: 0 };

it('names ids that are both users and items', () => {
  expect(warnings({ ids })).toEqual([]);
  expect(warnings({ ids: { ...ids, shared: 612 } })).toEqual([{ code: 'shared-ids', detail: expect.stringMatching(/^612 ids are both source_id and target_id of interactions\. .* upload them with different ids, such as u1 and f1\./) as string }]);
  expect(warnings({ ids: { ...ids, shared: 1 } })).toEqual([{ code: 'shared-ids', detail: expect.stringMatching(/^1 id is both /) as string }]);
});

it('names entities whose ids hardly occur in interactions', () => {
  const found = (unmatched: Partial<typeof ids>, distinct = 2071) => warnOfData({ entities: { rows: distinct, distinct, types: 1, by_type: { film: distinct } }, interactions: { ...interactions, ids: { ...ids, ...unmatched } }, batches: 1 }, {});
  expect(found({ targets_without_entity: 2071 })).toEqual([{ code: 'ids-without-entity', detail: expect.stringMatching(/^Of 2071 different target_id, 0 have an entity, and of 1508 different source_id, 0, although there are 2071 entities\. /) as string }]);
  for (const fine of [{ targets_without_entity: 1800 }, { targets_without_entity: 2071, sources_without_entity: 0 }]) expect(found(fine)).toEqual([]);
  expect(found({ targets_without_entity: 2071 }, 0)).toEqual([]);
});

it('names ids with blanks at an end, and ids that mean a missing value', () => {
  expect(warnings({ ids: { ...ids, padded: 2 } })).toEqual([{ code: 'padded-ids', detail: expect.stringMatching(/^2 ids begin or end with a blank\. /) as string }]);
  expect(warnings({ ids: { ...ids, placeholders: ['NULL', 'undefined'] } })).toEqual([{ code: 'placeholder-ids', detail: expect.stringMatching(/^The data has the ids "NULL", "undefined"\. /) as string }]);
});

it('names types that differ in case or blanks only', () => {
  expect(warnings({ by_type: { view: 3, purchase: 1, 'Purchase ': 1 }, types: 3 })).toEqual([{
    code: 'similar-types', detail: expect.stringMatching(/^The interactions have types that differ in case or blanks only: "purchase", "Purchase "\. .* weights/) as string,
  }]);
  const films = { rows: 4, distinct: 4, types: 2, by_type: { film: 3, Film: 1 } };
  expect(warnOfData({ entities: films, interactions, batches: 1 }, {})).toEqual([{ code: 'similar-types', detail: expect.stringMatching(/^The entities .* "film", "Film"\. .* entity_type/) as string }]);
});

it('names timestamps that are all the same', () => {
  const newest = '2026-01-01T00:00:00.000Z';
  expect(warnings({ used: 20, oldest_timestamp: newest })).toEqual([{ code: 'equal-timestamps', detail: expect.stringContaining(`All timestamps are ${newest}`) as string }]);
  for (const fine of [{ used: 20, oldest_timestamp: '2025-01-01T00:00:00.000Z' }, { used: 5, oldest_timestamp: newest }, { used: 20 }]) expect(warnings(fine)).toEqual([]);
});

it('names parameters without an effect, because timestamps are missing', () => {
  const found = (timed: number, parameters: Parameters<typeof warnOfData>[1]) => warnOfData({ entities: { rows: 0, distinct: 0, types: 0, by_type: {} }, interactions: { ...interactions, rows: 100, with_timestamp: timed }, batches: 1 }, parameters);
  expect(found(0, { maximum_interaction_age_days: 30, trending_half_life_days: 7 })).toEqual([{
    code: 'missing-timestamps', detail: expect.stringMatching(/^100 of 100 interactions have no timestamp, so maximum_interaction_age_days and trending_half_life_days have no effect: /) as string,
  }]);
  expect(found(50, { recency_half_life_days: 30 })).toMatchObject([{ detail: expect.stringMatching(/^50 of 100 .* recency_half_life_days has no effect on them/) as string }]);
  for (const fine of [found(0, {}), found(0, { maximum_interaction_age_days: null }), found(95, { maximum_interaction_age_days: 30 })]) expect(fine).toEqual([]);
});

it('names interactions that all count nothing', () => {
  expect(warnings({ used: 0, disliked: 0, ignored: { too_old: 0, repeated: 0, self: 0, neutral: 5 } })).toEqual([{
    code: 'no-likes', detail: expect.stringMatching(/^None of the 5 interactions counts: 5 pairs of source and target have the weight 0/) as string,
  }]);
  expect(warnings({ used: 0, ignored: { too_old: 0, repeated: 0, self: 5 } })).toMatchObject([{ code: 'no-likes' }]);
  expect(warnings({ used: 1, ignored: { too_old: 0, repeated: 0, self: 4 } })).toEqual([]);
});

it('names metadata and names whose texts mean something else', () => {
  const films = { rows: 4, distinct: 4, types: 1, by_type: { film: 4 } };
  const found = (entities: Partial<DataSummary['entities']>) => warnOfData({ entities: { ...films, ...entities }, interactions, batches: 1 }, {});
  expect(found({ texts: [{ column: 'genres', form: 'list', example: 'Drama|Crime' }, { column: 'price', form: 'number', example: '$12.50' }, { column: 'year', form: 'number', example: '1999' }] })).toEqual([{
    code: 'texts-in-metadata',
    detail: expect.stringContaining('item.price ("$12.50"), item.year ("1999"): texts that are numbers; write 12.5. item.genres ("Drama|Crime"): lists in one text; write ["Drama","Crime"].') as string,
  }]);
  expect(found({ garbled_names: { count: 1, example: 'CafÃ©' } })).toEqual([{ code: 'garbled-names', detail: expect.stringMatching(/^1 name has .* such as "CafÃ©"\./) as string }]);
  expect(found({})).toEqual([]);
});

it('names entities whose newest row leaves out metadata or names', () => {
  const found = (emptied: { metadata: number; names: number }) => warnOfData({ entities: { rows: 9, distinct: 5, types: 1, by_type: { film: 5 }, emptied }, interactions, batches: 1 }, {});
  expect(found({ metadata: 2, names: 1 })).toEqual([{
    code: 'emptied-entities', detail: expect.stringMatching(/^Of 5 entities, 2 no longer have metadata, and 1 no longer has a name, because .* replaces it as a whole/) as string,
  }]);
  expect(found({ metadata: 1, names: 0 })).toEqual([{ code: 'emptied-entities', detail: expect.stringMatching(/^Of 5 entities, 1 no longer has metadata, because /) as string }]);
});
