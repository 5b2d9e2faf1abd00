/** Selects the rows of some deployments by prefixes of the deployment name. */
export interface RowScope {
  /** Prefix of the included names; the empty string includes every name. */
  of: string;
  /** Prefixes of the excluded names. */
  except: readonly string[];
}

/** Rows of every deployment, served or not. */
export const everyDeployment: RowScope = { of: '', except: [] };

/**
 * Selects the rows of one service, also of earlier chains with the same id that were reset.
 * @param service `<chain id>:<contract>`
 */
export function ofService(service: string): RowScope {
  return { of: `${service}:`, except: [] };
}

/**
 * Selects the rows of one deployment. The default deployment includes every row that belongs to no other deployment, so rows stored
 * before a change of its settings stay visible.
 * @param service null if the deployment has no configured chain
 * @param others services of the other deployments
 * @example
 * const rows = scopeOf('31337:0xabc…', [], true); // every deployment's rows
 */
export function scopeOf(service: string | null, others: readonly string[], isDefault: boolean): RowScope {
  if (!isDefault && service !== null) return ofService(service);
  return { of: '', except: others.map((each) => ofService(each).of) };
}

/**
 * SQL condition for rows in scope.
 * @param column column with the deployment name
 * @param first number of the first of the two parameters that `scopeValues` returns
 */
export function withinScope(column: string, first: number): string {
  return `(starts_with(${column}, $${first}::text) and not exists (select from unnest($${first + 1}::text[]) as other (name) where starts_with(${column}, other.name)))`;
}

/** Values of the two SQL parameters of `withinScope`. */
export function scopeValues({ of, except }: RowScope): [string, readonly string[]] {
  return [of, except];
}
