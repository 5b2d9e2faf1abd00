import type { ConformanceSuite } from '@vouch/platform/conformance/context';
import { authenticationRows } from './authenticationRows.ts';
import { batchRows } from './batchRows.ts';
import { eventRows } from './eventRows.ts';
import { prepareRecommender } from './fixture.ts';
import { limitRows } from './limitRows.ts';
import { relatedRows } from './relatedRows.ts';
import { serviceRows } from './serviceRows.ts';
import { trainRows } from './trainRows.ts';
import { trendingRows } from './trendingRows.ts';
import { uploadRows } from './uploadRows.ts';

/** The recommender part of the specification, including authentication, events and limits. */
export const recommenderConformance: ConformanceSuite = {
  name: 'recommender',
  prepare: prepareRecommender,
  rows: [
    ...serviceRows, ...uploadRows, ...batchRows, ...trainRows, ...relatedRows, ...trendingRows, ...authenticationRows, ...eventRows, ...limitRows,
  ],
};
