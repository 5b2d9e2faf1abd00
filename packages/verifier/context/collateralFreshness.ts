/** Status of a running node's collateral. */
export interface CollateralFreshness {
  /** Whether all collateral is valid; null before the first check. */
  complete: boolean | null;
  /** When the first part expires, in milliseconds since 1970; null when no part is valid. */
  validUntil: number | null;
  /** When the last fetch succeeded, in milliseconds since 1970; null when none has since the start. */
  updatedAt: number | null;
  failures: number;
}

export function unknownFreshness(): CollateralFreshness {
  return { complete: null, validUntil: null, updatedAt: null, failures: 0 };
}
