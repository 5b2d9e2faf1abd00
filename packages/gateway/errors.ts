import { defineErrors } from '@vouch/platform/errors/problem';
import { messageErrors } from './requests/messageErrors.ts';
import { orderErrors } from './requests/orderErrors.ts';
import { outcomeErrors } from './requests/outcomeErrors.ts';
import { ruleErrors } from './requests/ruleErrors.ts';

/** Codes of the gateway: of messages, of the contract's rules, and of what became of accepted messages. Retired codes are never used again. */
export const gatewayErrors = defineErrors({
  ...messageErrors,
  ...ruleErrors,
  ...outcomeErrors,
  ...orderErrors,
});

export type GatewayErrorCode = keyof typeof gatewayErrors.entries;
