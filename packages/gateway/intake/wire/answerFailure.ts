import { toProblem } from '@vouch/platform/http/answerProblem';
import { lingerAfterRefusal } from '@vouch/platform/http/receiveBody';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dialect } from '../../requests/gatewayRequest.ts';
import { maxBodyBytes } from './message.schema.ts';
import { dialectOf } from './parseMessage.ts';

/** User agent of the deployed node software's HTTP library; identifies the dialect if the body is not available. */
const fieldAgent = /^Go-http-client\//;
/** Replaces the platform's sentence, which describes uploads. */
const tooLarge = `The body is too large: a message has at most ${maxBodyBytes} bytes. Send one message per request.`;
/** Default `retry-after` in seconds. */
const retrySeconds = '5';

/** The body and headers of every failed request. */
interface Failure {
  status: number;
  body: { error: string; code: string | number; reason: string; message: string };
  headers: Record<string, string>;
}

/**
 * Builds the answer to a failed request. Status 400 covers every fault of the request, 503 every fault of the gateway; unknown
 * paths
 * and methods keep 404 and 405. The deployed node software reads `code` as an integer and logs `message`; it discards the whole
 * body
 * if one of these fields has another type.
 */
function describeFailure(failure: unknown, dialect: Dialect): Failure & { problem: ReturnType<typeof toProblem> } {
  const problem = toProblem(failure);
  const status = problem.status >= 500 ? 503 : problem.status === 404 || problem.status === 405 ? problem.status : 400;
  const headers = status === 503 ? { 'retry-after': retrySeconds, ...problem.headers } : problem.headers;
  const sentence = problem.code === 'too-large' ? tooLarge : problem.detail;
  return {
    problem,
    status,
    headers,
    body: { error: sentence, code: dialect === 'field' ? status : problem.code, reason: problem.code, message: sentence },
  };
}

/** Error handler of the gateway's routes: answers the failure and records the problem's code for the message counter. */
export function answerFailure(system: SystemInterfaces, failure: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const dialect = guessDialect(request);
  const { problem, status, headers, body } = describeFailure(failure, dialect);
  if (problem.status >= 500 && problem.cause !== undefined) request.log.error({ err: problem.cause, code: problem.code }, problem.title);
  request.problemCode = problem.code;
  reply
    .code(status)
    .headers(headers)
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
  lingerAfterRefusal(system, request, reply);
}

function guessDialect({ body, headers }: FastifyRequest): Dialect {
  if (typeof body === 'object' && body !== null) return dialectOf(body);
  return fieldAgent.test(headers['user-agent'] ?? '') ? 'field' : 'documented';
}
