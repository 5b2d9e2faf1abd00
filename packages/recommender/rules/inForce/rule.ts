/** A named filter or boost, or both, which applies to the lists of an organization. */
export interface Rule {
  organizationId: string;
  name: string;
  /** CEL expression that is true for the items that lists keep. */
  filter: string | null;
  /** CEL expression by which scores are multiplied. */
  boost: string | null;
  /** Model whose lists the rule applies to; null for all models. */
  modelId: string | null;
  /** The rule applies from this time on, and before `validUntil`; null for no limit. */
  validFrom: Date | null;
  validUntil: Date | null;
  enabled: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** By model id: why lists of the model do without the rule. */
  warnings: Readonly<Record<string, RuleWarning>>;
}

/** Why lists of a model do without a rule, or with a part of it. */
export interface RuleWarning {
  /** Version of the model. */
  version: number;
  detail: string;
}

export type RuleStatus = 'in_force' | 'scheduled' | 'expired' | 'disabled';

export function statusOf({ enabled, validFrom, validUntil }: Rule, now: number): RuleStatus {
  if (!enabled) return 'disabled';
  if (validUntil !== null && validUntil.getTime() <= now) return 'expired';
  return validFrom !== null && validFrom.getTime() > now ? 'scheduled' : 'in_force';
}
