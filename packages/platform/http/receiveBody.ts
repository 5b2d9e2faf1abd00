import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { lingerMs } from './clientError.ts';
import type { GivenUp, WaitingConnections } from './waitingConnections.ts';

/** Deeper JSON is rejected, because it could overflow the stack of recursive code. */
const maxNesting = 64;

const awaitsContinue = Symbol('the client waits for 100 Continue');

/**
 * Adds the rules for receiving bodies. Only JSON is accepted, but routes can add their own parsers. Limits are checked before the first byte is read.
 * `100 Continue` is sent only after the key was accepted. A body that does not arrive in time is answered with 408; if the route streams the body,
 * the time limit applies to each pause of the client.
 */
export function addBodyRules(
  server: FastifyInstance, connections: WaitingConnections, timeouts: { bodyTimeoutMs: number; bodyIdleTimeoutMs: number },
): void {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    const refused = refuseEncoding(request, 'Send the JSON body uncompressed.');
    if (refused !== null) return done(refused, undefined);
    if (body.trim() === '') return done(null, undefined);
    if (isDeep(body)) {
      return done(platformErrors.problem('malformed-request', `The JSON body is nested deeper than ${maxNesting} levels.`), undefined);
    }
    parseJson(request, body, (error, value) => done(error === null ? null : refuseJson(body), value));
  });

  server.addContentTypeParser('*', (request, _payload, done) => {
    const type = request.headers['content-type'];
    const found = type === undefined ? 'The body has no content type' : `The content type is ${type.slice(0, 80)}`;
    if (request.method === 'DELETE') {
      return done(platformErrors.problem('unsupported-media-type', `${found}; DELETE reads no body. Send parameters in the query, after ? in the URL.`), undefined);
    }
    done(platformErrors.problem(
      'unsupported-media-type', `${found}; this route requires JSON. Send the header content-type: application/json, with curl -H 'content-type: application/json'.`,
    ), undefined);
  });

  // Without this listener, Node sends 100 Continue at once, even if the key or the limits will reject the request.
  server.server.on('checkContinue', (request, response) => {
    Object.assign(request, { [awaitsContinue]: true });
    server.server.emit('request', request, response);
  });
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));

  server.addHook('preParsing', (request, reply, _payload, done) => {
    if (awaitsContinue in request.raw) reply.raw.writeContinue();
    if (request.routeConfig?.streamsBody === true) refuseSilence(request, reply, timeouts.bodyIdleTimeoutMs);
    else if (hasBody(request)) connections.beginBody(request.raw.socket, request.ip, (why) => refuseArriving(request, reply, why, timeouts.bodyTimeoutMs));
    done();
  });
}

/** Returns the problem of a compressed body, which no route accepts, or null if the body is not compressed. */
export function refuseEncoding(request: FastifyRequest, remedy: string): Problem | null {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return null;
  return platformErrors.problem('unsupported-media-type', `The body has Content-Encoding ${encoding.slice(0, 40)}. ${remedy}`);
}

/** Rejects a request whose announced length exceeds the route's limit, before any byte is read. @throws Problem `too-large` */
export function checkAnnouncedLength(request: FastifyRequest, limit = Infinity): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced <= limit) return;
  throw platformErrors.problem('too-large', `The body has ${announced} bytes; this route accepts at most ${limit}. Send less in one request; lists of data can be split into several requests.`);
}

/**
 * Lets a rejected client read its answer: for one second, the server discards what the client still sends, then it closes the connection. Closing at
 * once would reset the connection and lose the answer. The request is destroyed too: after the answer, the request gets no more events of its
 * connection, so a handler that still reads the request would wait without end.
 */
export function lingerAfterRefusal(system: SystemInterfaces, request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  reply.removeHeader('connection');
  request.raw.unpipe();
  request.raw.resume();
  reply.raw.once('finish', () => {
    void system.timers.sleep(lingerMs).then(() => {
      if (!request.raw.complete) request.raw.destroy();
    });
  });
}

/** Returns whether the request announces a body. */
export function hasBody(request: FastifyRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

/** Replies through the route's error handler, so that the answer has the route's error format. */
function refuseArriving(request: FastifyRequest, reply: FastifyReply, why: GivenUp, bodyTimeoutMs: number): void {
  const { socket } = request.raw;
  if (reply.sent) return void socket.destroy();
  reply.send(why === 'late'
    ? platformErrors.problem('request-timeout', `The body did not arrive completely within ${bodyTimeoutMs / 1000} seconds. Use a faster connection, or send less data per request.`)
    : platformErrors.problem('overloaded', `The body did not arrive in time while too many other connections ${why === 'address' ? 'from the same IP address ' : ''}were waiting. Repeat the request after a second.`, {
      headers: { 'retry-after': '1' },
    }));
  reply.raw.once('finish', () => socket.destroySoon());
}

function refuseSilence(request: FastifyRequest, reply: FastifyReply, idleTimeoutMs: number): void {
  const { raw } = request;
  const { socket } = raw;
  const silent = (): void => {
    // Bytes in the buffer mean that the server, not the client, is slow. The client gets another interval.
    if (raw.readableLength > 0 || raw.isPaused()) return void socket.setTimeout(idleTimeoutMs);
    if (reply.sent) return void socket.destroy();
    // Goes through the route's error handler, so that the answer has the route's error format.
    reply.send(platformErrors.problem('request-timeout', `The client paused: no part of the body arrived for ${idleTimeoutMs / 1000} seconds.`));
    reply.raw.once('finish', () => socket.destroySoon());
  };
  socket.setTimeout(idleTimeoutMs);
  // Node's listener passes the socket's timeout to the request, and closes the socket if the request has no listener.
  raw.on('timeout', silent);
  const over = (): void => {
    raw.off('timeout', silent);
    socket.setTimeout(0);
  };
  raw.once('end', over);
  raw.once('close', over);
}

/** Fastify refuses two kinds of body: text that is not JSON, and JSON with a name that reaches prototypes. */
function refuseJson(body: string): Error {
  try {
    JSON.parse(body);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 160) : '';
    return platformErrors.problem('malformed-request', `The body is not valid JSON: ${why}. Check quotes, commas and brackets at this position.`);
  }
  return platformErrors.problem('invalid-parameter', 'The JSON body has a field named __proto__ or constructor.prototype, which is not allowed. Rename the field.');
}

function isDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') {
      if (++depth > maxNesting) return true;
    } else if (character === ']' || character === '}') depth--;
  }
  return false;
}
