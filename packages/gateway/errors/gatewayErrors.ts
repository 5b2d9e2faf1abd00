import { defineErrors } from '@vouch/platform/errors/problem';
import { messageErrors } from './messageErrors.ts';
import { orderErrors } from './orderErrors.ts';
import { outcomeErrors } from './outcomeErrors.ts';
import { ruleErrors } from './ruleErrors.ts';

/** The gateway's error codes: messages, contract rules, outcomes of accepted messages, and orders. Retired codes are never reused. */
export const gatewayErrors = defineErrors({
  ...messageErrors,
  ...ruleErrors,
  ...outcomeErrors,
  ...orderErrors,
});

export type GatewayErrorCode = keyof typeof gatewayErrors.entries;
