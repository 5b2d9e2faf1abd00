import { platformErrors } from '../errors/platformErrors.ts';
import { Problem, type Fault } from '../errors/problem.ts';

/** A URL of a request, its location in the request, and its check. */
interface NamedAddress {
  /** JSON pointer, e.g. `/options/subtitles_url`. */
  location: string;
  address: string | null | undefined;
  check(address: string): void;
}

/**
 * Rejects URLs of a request that must not be called. All faults are reported together, each with its field.
 * @throws Problem `address-refused` with one entry per URL
 */
export function refuseAddresses(addresses: readonly NamedAddress[]): void {
  const errors = addresses.flatMap(({ location, address, check }): Fault[] => {
    if (address === null || address === undefined) return [];
    try {
      check(address);
      return [];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return [{ location, detail: `${location.slice(1).replaceAll('/', '.')}: ${error.detail}` }];
    }
  });
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length === 1 ? '' : ` ${errors.length - 1} more in \`errors\`.`;
  throw platformErrors.problem('address-refused', first.detail + more, { errors });
}
