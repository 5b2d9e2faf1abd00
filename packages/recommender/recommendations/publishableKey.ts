import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Problem } from '@vouch/platform/errors/problem';
import { isPublishable } from '@vouch/platform/keys/scopes';
import type { Identity } from '@vouch/platform/keys/identity';

/** Returns whether a request for lists has the limits of a publishable key: lists of items and sessions, without reasons. */
export function asksForItemsOnly({ scopes }: Pick<Identity, 'scopes'>): boolean {
  return isPublishable(scopes, 'recommend:read');
}

/**
 * Refuses the given fields. Expressions and groups could be used to read the metadata of items value by value, and reasons name users.
 * @param place prefix of the field's location, `/` for a body and `query:` for a query
 * @throws Problem publishable-key
 */
export function refuseFields<Fields extends object>(fields: Fields, refused: readonly (keyof Fields & string)[], place: '/' | 'query:'): void {
  const given = refused.filter((name) => fields[name] !== undefined && fields[name] !== false);
  const [first] = given;
  if (first === undefined) return;
  const detail = `A publishable key may not use ${given.join(', ')}. Omit ${given.length > 1 ? 'these fields' : first}, keep the filter or the boost as a rule on the server (PUT /v1/recommender/rules/{name}), or send the request from your own server with a key that has the scope recommend:read.`;
  throw refuseUse(detail, place + first);
}

/** Returns the problem of a publishable key that asks for too much. @param location location of the fault in the request */
export function refuseUse(detail: string, location: string): Problem {
  return platformErrors.problem('publishable-key', detail, { errors: [{ location, detail }] });
}
