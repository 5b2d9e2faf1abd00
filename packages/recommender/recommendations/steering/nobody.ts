import type { UserValues } from '../../expressions/expressionValue.ts';

/** Values of `user.…` where the list is for nobody. */
export const nobody: UserValues = new Map();
