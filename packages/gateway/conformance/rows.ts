import type { ConformanceRow } from '@vouch/platform/product/product';
import { messageRows } from './messageRows.ts';
import { serviceRows } from './serviceRows.ts';

/** The specification's signed-message gateway, line by line. */
export const gatewayConformance: readonly ConformanceRow[] = [...serviceRows, ...messageRows];
