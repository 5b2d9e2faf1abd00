import { defineErrors } from '@vouch/platform/errors/problem';
import { messageErrors } from './messageErrors.ts';
import { orderErrors } from './orderErrors.ts';
import { outcomeErrors } from './outcomeErrors.ts';
import { ruleErrors } from './ruleErrors.ts';

/** Codes of the gateway: of messages, of the contract's rules, and of what became of accepted messages. Retired codes are never used again. */
export const gatewayErrors = defineErrors({
  ...messageErrors,
  ...ruleErrors,
  ...outcomeErrors,
  ...orderErrors,
});

export type GatewayErrorCode = keyof typeof gatewayErrors.entries;
