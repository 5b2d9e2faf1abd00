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
