import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { platformErrors } from '../errors/platformErrors.ts';
import { Problem } from '../errors/problem.ts';
import { shorten } from '../errors/shorten.ts';
import { isDiskFull } from '../process/diskFull.ts';

/** Converts any failure to the problem that the client gets. An unexpected failure becomes `internal`, without the failure's own message. */
export function toProblem(failure: unknown): Problem {
  if (failure instanceof Problem) return failure;
  if (!(failure instanceof Error)) return internal(failure);
  const { code = '', statusCode = 0 } = failure as Partial<FastifyError>;
  if (isDiskFull(failure)) return platformErrors.problem('storage-full', 'The disk is full, so the data could not be stored. Free space, then send the request again.', { cause: failure });
  if (isUnreadableText(code)) {
    return platformErrors.problem('malformed-request', 'The request contains text that cannot be stored. Send valid UTF-8 without NUL.', { cause: failure });
  }
  // Only Fastify and its plug-ins set statusCode. Their messages describe the request and no internals, so clients may see them.
  if (statusCode === 413) return platformErrors.problem('too-large', `${sentence(failure)} Send less data per request.`);
  if (statusCode === 415 || statusCode === 406) {
    return platformErrors.problem('unsupported-media-type', `${sentence(failure)} Send the content type that /docs shows for this route.`);
  }
  if (statusCode >= 400 && statusCode < 500) {
    return platformErrors.problem('malformed-request', `${sentence(failure)} Compare the request with /docs.`, { cause: failure });
  }
  return internal(failure);
}

function internal(cause: unknown): Problem {
  return platformErrors.problem('internal', 'An internal error occurred. The log has the details under the request id of this answer.', { cause });
}

function sentence(failure: Error): string {
  const text = shorten(failure.message, 200);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** SQLSTATE 22021 and 22P05: PostgreSQL rejected text that its encoding cannot represent. */
function isUnreadableText(code: string): boolean {
  return code === '22021' || code === '22P05';
}

/** Sends a problem as an RFC 9457 answer, and logs the cause if the status is 500 or higher. */
export function answerProblem(failure: unknown, request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  const problem = toProblem(failure);
  if (problem.status >= 500 && problem.cause !== undefined) request.log.error({ err: problem.cause, code: problem.code }, problem.title);
  if (reply.raw.headersSent) {
    // Part of the answer is already sent. The reset prevents the client from taking the truncated answer for a complete one.
    reply.raw.socket?.resetAndDestroy();
    return;
  }
  request.problemCode = problem.code;
  for (const name of ['content-length', 'content-encoding', 'content-disposition', 'etag', 'last-modified']) reply.removeHeader(name);
  reply
    .code(problem.status)
    .headers(problem.headers)
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify({ ...problem.toRecord(publicUrl), request_id: request.id }));
}
