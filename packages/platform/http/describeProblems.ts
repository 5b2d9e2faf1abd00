import type { RouteOptions } from 'fastify';
import type { ErrorEntries } from '../errors/problem.ts';

/** The OpenAPI response of one status. */
interface Response {
  description: string;
  content: Record<string, { schema: object; examples?: Record<string, { $ref: string }> }>;
}

/**
 * Describes the problems of a route: the codes that its configuration lists, and the codes that follow from scope, method and body.
 * @param entries all error catalogues
 * @returns a response for each status, with one example for each code
 * @throws Error if the configuration lists a code that no catalogue has
 */
export function describeProblems(route: RouteOptions, entries: ErrorEntries): Record<string, Response> {
  const byStatus = new Map<number, string[]>();
  for (const code of new Set([...commonCodes(route), ...(route.config?.problems ?? [])])) {
    const entry = entries[code];
    if (entry === undefined) throw new Error(`${String(route.method)} ${route.url} lists the problem ${code}, which is in no error catalogue`);
    byStatus.set(entry.status, [...(byStatus.get(entry.status) ?? []), code]);
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  const described = sorted.map(([status, codes]) => [
    String(status),
    describeProblem(codes.map((code) => `\`${code}\`: ${entries[code]?.title}.`).join('\n\n'), codes),
  ] as const);
  return { ...Object.fromEntries(described), default: describeProblem('Any other problem; see `code`.', []) };
}

function describeProblem(description: string, codes: readonly string[]): Response {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, ...(codes.length === 0 ? {} : { examples }) } } };
}

/** Returns one example problem for each code, for `components.examples`. */
export function exampleProblems(entries: ErrorEntries): Record<string, { summary: string; value: object }> {
  const sorted = Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([code, { status, title, cause, remedy }]) => [code, {
    summary: title,
    value: { type: `/docs/errors/${code}`, title, status, code, detail: `${cause} ${remedy}`, request_id: '5b2f2f0e-8a52-4f3c-9d0e-2d3f6a1c7b11' },
  }]));
}

/** Whether the route supports Idempotency-Key: every POST, unless it only reads or answers failures in its own format. */
export function isRepeatable({ config, method }: RouteOptions): boolean {
  return method === 'POST' && config?.ownErrors !== true && config?.answersSecret !== true && config?.changesNothing !== true && config?.scope?.endsWith(':read') !== true;
}

function commonCodes(route: RouteOptions): string[] {
  const { config, schema, url } = route;
  const hasInput = schema?.querystring !== undefined || schema?.body !== undefined || config?.form !== undefined || url.includes(':');
  const hasBody = schema?.body !== undefined || config?.form !== undefined;
  return [
    ...(config?.scope === null ? [] : ['missing-key', 'unknown-key', 'expired-key', 'revoked-key', 'missing-scope', 'rate-limited', 'too-many-in-progress', 'too-many-wrong-keys', 'database-unavailable']),
    ...(config?.forPages === true ? ['publishable-key'] : []),
    ...(config?.operatorOnly === true ? ['operator-only'] : []),
    ...(hasBody ? ['malformed-request', 'request-timeout', 'too-large', 'unsupported-media-type'] : []),
    ...(hasInput ? ['invalid-parameter', 'unknown-parameter'] : []),
    ...(isRepeatable(route) ? ['idempotency-conflict'] : []),
    'internal', 'overloaded', 'draining',
  ];
}
