import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';

/** Query parameter of a list: start of the page. */
export const cursorParameter = Type.Optional(Type.String({ maxLength: 64, description: 'Position of the next page, from the `Link` header of the last page.' }));

/** Query parameters of a list that is always answered in pages. */
export function pageParameters(most: number, usual: number) {
  return {
    limit: Type.Integer({ minimum: 1, maximum: most, default: usual, description: 'Maximum number of records per page.' }),
    cursor: cursorParameter,
  };
}

/**
 * Encodes a position in a list as the cursor that clients send back. The path of the list is part of the cursor: positions of different lists are
 * numbers of the same form, so a cursor of another list would return a wrong page without an error.
 * @param position a whole number from 0
 */
function formatCursor(request: Pick<FastifyRequest, 'url'>, position: number): string {
  const path = request.url.split('?', 1)[0] ?? '';
  const list = createHash('sha256').update(path).digest('hex').slice(0, 8);
  return Buffer.from(`${position}:${list}`, 'latin1').toString('base64url');
}

/**
 * Decodes the position of a cursor; null without a cursor.
 * @param request the request for the list that the cursor must belong to
 * @throws Problem `invalid-parameter` if the text is not a cursor of this list
 */
export function readCursor(request: Pick<FastifyRequest, 'url'>, cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const position = /^(\d{1,15}):/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (position !== undefined && formatCursor(request, Number(position)) === cursor) return Number(position);
  const detail = `cursor is "${cursor}", which is not a cursor of this list; use the cursor in the Link header of the last page, or omit it.`;
  throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location: 'query:cursor', detail, value: cursor }] });
}

/**
 * Sets the header `Link` that names the next page: the same query with the next page's cursor.
 * @param url URL of the list, without a query
 * @param next position at which the next page starts
 */
export function linkNextPage(request: Pick<FastifyRequest, 'url'>, reply: Pick<FastifyReply, 'header'>, url: string, next: number): void {
  const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '');
  query.set('cursor', formatCursor(request, next));
  reply.header('link', `<${url}?${query}>; rel="next"`);
}
