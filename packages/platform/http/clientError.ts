import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/**
 * Time in ms for which a rejected client may continue to send. A connection that is closed while the client sends is reset, and the client loses the
 * answer.
 */
export const lingerMs = 1_000;

/**
 * Returns a handler that answers requests that the HTTP parser rejects (headers too large, not HTTP, too slow) with a problem, like any other error.
 * Such a request has no Fastify handler, so the handler writes the answer to the socket.
 */
export function answerClientError(system: SystemInterfaces, log: Logger, publicUrl: string) {
  return (failure: NodeJS.ErrnoException, socket: Socket): void => {
    // `_httpMessage` is Node's reference to the response in progress. If a response has begun, no other bytes may follow it.
    const open = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
    if (failure.code === 'ECONNRESET' || !socket.writable || open?.headersSent === true) {
      socket.destroy();
      return;
    }
    const problem = meaning(failure);
    const requestId = system.random.uuid();
    const body = JSON.stringify({ ...problem.toRecord(publicUrl), request_id: requestId });
    log.info({ request_id: requestId, status: problem.status, code: problem.code, parser: failure.code }, 'refused');
    socket.end([
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'Connection: close',
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      '',
      body,
    ].join('\r\n'));
    socket.on('error', () => socket.destroy());
    socket.resume();
    void system.timers.sleep(lingerMs).then(() => socket.destroy());
  };
}

function meaning(failure: NodeJS.ErrnoException): Problem {
  switch (failure.code) {
    case 'HPE_HEADER_OVERFLOW':
      return platformErrors.problem(
        'headers-too-large',
        'The request line and headers exceed 64 KB. Request fewer identifiers at once, or omit the list.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return platformErrors.problem('request-timeout', 'The headers of the request did not arrive in time. Send the request again.');
    default:
      return platformErrors.problem('malformed-request', 'The data received is not an HTTP/1.1 request. Compare the request with /docs.');
  }
}
