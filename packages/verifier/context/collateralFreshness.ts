/** What a running node knows of its collateral. */
export interface CollateralFreshness {
  /** Whether all of it is good; null before it was looked at. */
  complete: boolean | null;
  /** When the first of it ends, milliseconds since 1970; null where none of it is good. */
  validUntil: number | null;
  /** When it was last fetched without a failure; null: not since the start. */
  updatedAt: number | null;
  failures: number;
}

export function unknownFreshness(): CollateralFreshness {
  return { complete: null, validUntil: null, updatedAt: null, failures: 0 };
}
