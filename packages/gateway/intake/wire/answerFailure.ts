import { toProblem } from '@vouch/platform/http/answerProblem';
import { lingerAfterRefusal } from '@vouch/platform/http/receiveBody';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dialect } from '../../requests/gatewayRequest.ts';
import { maxBodyBytes } from './message.schema.ts';
import { dialectOf } from './readMessage.ts';

/** The library of the program in the field, by which it is known where its body is not. */
const fieldAgent = /^Go-http-client\//;
/** The platform's sentence speaks of uploads. */
const tooLarge = `The body is too large: a message has at most ${maxBodyBytes} bytes. Send one message with one request.`;
/** When to come again where the problem does not say. */
const retrySeconds = '5';

/** The one form of every failure. */
interface Failure {
  status: number;
  body: { error: string; code: string | number; reason: string; message: string };
  headers: Record<string, string>;
}

/**
 * What a client of the gateway is told. Whatever is wrong with a request is 400; only what is ours alone is 503, and a path or
 * method that does not exist 404 and 405. The program in the field reads `code` as an integer and `message` into its log, and
 * nothing at all where one of them has another type.
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

/** Answers a failure of a route of the gateway, as its error handler. */
export function answerFailure(doors: SystemInterfaces, failure: unknown, request: FastifyRequest, reply: FastifyReply): void {
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
  lingerAfterRefusal(doors, request, reply);
}

function guessDialect({ body, headers }: FastifyRequest): Dialect {
  if (typeof body === 'object' && body !== null) return dialectOf(body);
  return fieldAgent.test(headers['user-agent'] ?? '') ? 'field' : 'documented';
}
