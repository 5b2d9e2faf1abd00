import type { ConformanceRow } from '@vouch/platform/product/product';
import { authenticationRows } from './authenticationRows.ts';
import { batchRows } from './batchRows.ts';
import { eventRows } from './eventRows.ts';
import { limitRows } from './limitRows.ts';
import { relatedRows } from './relatedRows.ts';
import { serviceRows } from './serviceRows.ts';
import { trainRows } from './trainRows.ts';
import { trendingRows } from './trendingRows.ts';
import { uploadRows } from './uploadRows.ts';

/** The specification's recommender, authentication, events and limits, line by line. */
export const recommenderConformance: readonly ConformanceRow[] = [
  ...serviceRows,
  ...uploadRows,
  ...batchRows,
  ...trainRows,
  ...relatedRows,
  ...trendingRows,
  ...authenticationRows,
  ...eventRows,
  ...limitRows,
];
