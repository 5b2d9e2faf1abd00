import type { FastifyRequest } from 'fastify';
import { platformErrors } from '../errors/platformErrors.ts';

/** Returns the secret of the request's session cookie; null without one. */
export function sessionSecret({ headers: { cookie } }: FastifyRequest): string | null {
  return cookie === undefined ? null : (/(?:^|;\s*)vouch_session=([\w-]{20,100})(?:;|$)/.exec(cookie)?.[1] ?? null);
}

/**
 * Rejects a request by cookie that another page may have caused. Browsers send `Sec-Fetch-Site` to HTTPS and localhost. Elsewhere the console's own
 * header decides, which pages of other origins cannot set.
 * @throws Problem `foreign-page`
 */
export function requireOwnPage({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || (site === undefined && headers['x-vouch-console'] !== undefined)) return;
  throw platformErrors.problem('foreign-page',
    `Only pages of this server may use sessions of the console; the request has ${site === undefined ? 'no header Sec-Fetch-Site' : `Sec-Fetch-Site ${JSON.stringify(String(site).slice(0, 40))}`}. Programs send an API key in the header apikey.`);
}
