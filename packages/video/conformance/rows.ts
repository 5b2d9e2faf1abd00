import type { ConformanceRow } from '@vouch/platform/product/product';
import { accessRows } from './accessRows.ts';
import { eventRows } from './eventRows.ts';
import { runRows } from './runRows.ts';
import { serviceRows } from './serviceRows.ts';

/** The specification's video summarization, authentication and events, line by line. */
export const videoConformance: readonly ConformanceRow[] = [...serviceRows, ...runRows, ...accessRows, ...eventRows];
