import type { ConformanceSuite } from '@vouch/platform/conformance/context';
import { accessRows } from './accessRows.ts';
import { eventRows } from './eventRows.ts';
import { prepareVideo } from './fixture.ts';
import { runRows } from './runRows.ts';
import { serviceRows } from './serviceRows.ts';

/** Rows for video summarization as specified, with authentication and callbacks. */
export const videoConformance: ConformanceSuite = {
  name: 'video',
  prepare: prepareVideo,
  rows: [...serviceRows, ...runRows, ...accessRows, ...eventRows],
};
