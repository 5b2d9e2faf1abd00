/** Of which deployments a listing has rows, by the beginnings of their names. */
export interface RowScope {
  /** Only these; the empty text begins every name. */
  of: string;
  /** Without these. */
  except: readonly string[];
}

/** Rows of every deployment, served or not. */
export const everyDeployment: RowScope = { of: '', except: [] };

/** @param service `<chain id>:<contract>`, whose chain may have been begun anew */
export function ofService(service: string): RowScope {
  return { of: `${service}:`, except: [] };
}

/**
 * The rows of one deployment of several. The default has what no further deployment has: also what was sent before its settings were changed.
 * @param service null where its chain is not named
 * @param others services of the other deployments
 */
export function scopeOf(service: string | null, others: readonly string[], isDefault: boolean): RowScope {
  if (!isDefault && service !== null) return ofService(service);
  return { of: '', except: others.map((each) => ofService(each).of) };
}

/**
 * SQL that holds for rows in scope.
 * @param column the name of the deployment
 * @param first number of the first of two parameters, `scopeValues`
 */
export function withinScope(column: string, first: number): string {
  return `(starts_with(${column}, $${first}::text) and not exists (select from unnest($${first + 1}::text[]) as other (name) where starts_with(${column}, other.name)))`;
}

export function scopeValues({ of, except }: RowScope): [string, readonly string[]] {
  return [of, except];
}
