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
  /** By model id: why lists of the model do without the rule, or are all empty with it. */
  warnings: Readonly<Record<string, RuleWarning>>;
}

/** Why lists of a model do without a rule or without its boost, or are all empty with it. */
export interface RuleFault {
  detail: string;
  /** Whether lists follow the rule. Missing if they do without it or without its boost. */
  isFollowed?: true;
}

/** The fault of a rule with a model, as stored. */
export interface RuleWarning extends RuleFault {
  /** Version of the model. */
  version: number;
}

/** The sentence that warns of a rule. */
export function describeFault({ detail, isFollowed }: RuleFault): string {
  return isFollowed === true ? `Every list is empty: ${detail}.` : `Lists do without the rule: ${detail}.`;
}

export type RuleStatus = 'in_force' | 'scheduled' | 'expired' | 'disabled';

export function statusOf({ enabled, validFrom, validUntil }: Rule, now: number): RuleStatus {
  if (!enabled) return 'disabled';
  if (validUntil !== null && validUntil.getTime() <= now) return 'expired';
  return validFrom !== null && validFrom.getTime() > now ? 'scheduled' : 'in_force';
}
