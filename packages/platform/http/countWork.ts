import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { platformErrors } from '../errors/platformErrors.ts';
import { alwaysAnswered } from './openRoutes.ts';
import type { StreamedAnswers } from './streamedAnswers.ts';
import type { Traffic } from './traffic.ts';
import { noSender, type Turns } from './turns.ts';
import type { WaitingConnections } from './waitingConnections.ts';

interface Work {
  traffic: Traffic;
  turns: Turns;
  connections: WaitingConnections;
  streams: StreamedAnswers;
}

/** Counts a request as in work from the last byte of its body until its answer is handed over, and begins it at the turn of its sender. */
export function countWork(server: FastifyInstance, { traffic, turns, connections, streams }: Work): void {
  server.addHook('preValidation', (request, reply, done) => {
    const { raw, routeConfig, sender } = request;
    connections.end(raw.socket);
    if (alwaysAnswered.has(routeConfig?.url ?? '')) return done();
    if (routeConfig?.streamsBody === true) {
      if (raw.complete) traffic.claim(request);
      else raw.once('end', () => { if (!reply.sent) traffic.beginLate(request); });
      return done();
    }
    traffic.claim(request);
    const waitsTogether = routeConfig?.waitsTogether === true && request.headers['idempotency-key'] === undefined;
    const takesPlace = sender !== noSender && !waitsTogether;
    turns.start(sender, () => {
      request.hasPlace = takesPlace;
      // Nobody waits for the answer any more.
      if (raw.socket.destroyed) traffic.answered(request);
      else done();
    }, takesPlace);
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    traffic.answered(request);
    // Also where the request arrived before the drain, so that no idle connection remains.
    if (traffic.draining) reply.header('connection', 'close');
    if (!(payload instanceof Readable)) connections.beginIdle(request.raw.socket, 1);
    else if (!streams.begin(reply.raw)) {
      payload.destroy();
      throw platformErrors.problem('overloaded', `The server streams ${streams.size} answers already, its limit. Repeat the request after a second.`, {
        headers: { 'retry-after': '1' },
      });
    }
    done(null, payload);
  });
}
