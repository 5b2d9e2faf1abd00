import type { ConformanceRow } from '@vouch/platform/product/product';

/** The specification's video part, authentication, events and limits, line by line. */
export const videoConformance: readonly ConformanceRow[] = [];
