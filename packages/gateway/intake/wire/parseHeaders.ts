import type { IncomingHttpHeaders } from 'node:http';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import type { ClientFacts, Dialect } from '../../requests/gatewayRequest.ts';

/** Which headers a message requires, and which values the headers may have; null allows any value. */
export interface HeaderRules {
  strict: boolean;
  origins: readonly string[] | null;
  appIds: readonly string[] | null;
}

const longestValue = 256;

/** The headers of a message in their documented spelling. */
const headerNames = { origin: 'Origin', 'user-agent': 'User-Agent', 'x-app-id': 'x-app-id' } as const;

/**
 * Reads the client's headers.
 * @throws Problem `header-missing` listing every absent, empty or too long header; `header-refused` for a value that is not allowed
 */
export function parseHeaders(headers: IncomingHttpHeaders, rules: HeaderRules, dialect: Dialect): ClientFacts {
  const faults: string[] = [];
  const read = (name: keyof typeof headerNames): string | null => {
    const given = headers[name];
    const value = typeof given === 'string' ? given.trim() : '';
    if (value.length > longestValue) faults.push(`${headerNames[name]} has ${value.length} characters; at most ${longestValue} are accepted.`);
    else if (value !== '') return value;
    else if (rules.strict) faults.push(`The header ${headerNames[name]} is ${given === undefined ? 'missing' : 'empty'}.`);
    return null;
  };
  const facts: ClientFacts = { origin: read('origin'), user_agent: read('user-agent'), app_id: read('x-app-id'), dialect };
  if (faults.length > 0) {
    throw gatewayErrors.problem('header-missing', `${faults.join(' ')} Send Origin, User-Agent and x-app-id with every message.`);
  }
  refuseUnlisted('Origin', facts.origin, rules.origins);
  refuseUnlisted('x-app-id', facts.app_id, rules.appIds);
  return facts;
}

function refuseUnlisted(name: string, value: string | null, allowed: readonly string[] | null): void {
  if (allowed === null || value === null || allowed.includes(value)) return;
  throw gatewayErrors.problem('header-refused', `${name} is ${JSON.stringify(value)}, which this gateway does not accept. Ask the operator of the gateway to allow this value.`);
}
