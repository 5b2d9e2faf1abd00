import type { ConformanceRow } from '@vouch/platform/product/product';

/** The specification's signed-message gateway, line by line. */
export const gatewayConformance: readonly ConformanceRow[] = [];
