import type { ConformanceSuite } from '@vouch/platform/conformance/context';
import { prepareGateway } from './fixture.ts';
import { messageRows } from './messageRows.ts';
import { serviceRows } from './serviceRows.ts';
import { typedDataRows } from './typedDataRows.ts';

/** Conformance rows of the signed-message gateway: messages, typed data, limits and headers. */
export const gatewayConformance: ConformanceSuite = {
  name: 'gateway',
  prepare: prepareGateway,
  rows: [...serviceRows, ...messageRows, ...typedDataRows],
};
