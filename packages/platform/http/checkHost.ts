import type { FastifyRequest } from 'fastify';
import { platformErrors } from '../errors/platformErrors.ts';

/** The characters of `uri-host [ ":" port ]` in RFC 9110. The value may be empty. */
const hostCharacters = /^[\w.~!$&'()*+;=%:[\]-]*$/;

/**
 * Rejects a request whose Host header is missing, repeated or invalid (RFC 9112, section 3.2): with two headers, a proxy and the server could each
 * use a different one. HTTP/1.0 allows requests without Host; HTTP/0.9 has neither headers nor a status.
 * @throws Problem `malformed-request`
 */
export function checkHost({ raw }: FastifyRequest): void {
  if (raw.httpVersionMajor !== 1) {
    throw malformed(`The request uses HTTP/${raw.httpVersion}; the server supports HTTP/1.1 and HTTP/1.0.`);
  }
  let hosts = 0;
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    const name = raw.rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw malformed(`The request has ${hosts} Host headers; send exactly one.`);
  if (hosts === 0 && raw.httpVersionMinor > 0) throw malformed('The request has no Host header; send the host name of the server.');
  const { host = '' } = raw.headers;
  if (!hostCharacters.test(host)) {
    throw malformed(`The Host header is ${JSON.stringify(host.slice(0, 200))}; it must be a host name or an IP address, optionally with a port.`);
  }
}

function malformed(detail: string): Error {
  return platformErrors.problem('malformed-request', detail, { headers: { connection: 'close' } });
}
