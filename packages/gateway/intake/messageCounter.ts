import type { FastifyInstance, FastifyReply } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { labelsOf } from '../deployments/namedDeployment.ts';
import { messageKinds, messagePaths } from './wire/paths.ts';

export type MessageCounter = Counter<'kind' | 'outcome' | 'deployment'>;

/** How a message was accepted: stored as a new row, stored without need of a transaction, or found already stored. */
export type Acceptance = 'accepted' | 'unchanged' | 'repeated';

const acceptances = new WeakMap<FastifyReply, Acceptance>();

/** Counts messages by kind and outcome. The outcome is an acceptance or the error code of the refusal. */
export function createMessageCounter(metrics: Registry): MessageCounter {
  return new Counter({
    name: 'vouch_gateway_messages_total',
    help: 'Signed messages by kind and outcome: accepted, unchanged (no transaction needed), repeated, or the error code.',
    labelNames: ['kind', 'outcome', 'deployment'],
    registers: [metrics],
  });
}

/** Records how a message was accepted; `countMessages` reads the record when the reply is sent. */
export function noteAcceptance(reply: FastifyReply, acceptance: Acceptance): void {
  acceptances.set(reply, acceptance);
}

/**
 * Counts every answer to a message in the scope.
 * @param deployment name of the deployment in the settings
 */
export function countMessages(scope: FastifyInstance, counter: MessageCounter, deployment: string): void {
  const kinds = new Map(messageKinds.map((kind) => [scope.prefix + messagePaths[kind], kind]));
  scope.addHook('onResponse', (request, reply, done) => {
    const kind = kinds.get(request.routeOptions.url ?? '');
    const outcome = request.problemCode ?? acceptances.get(reply);
    if (kind !== undefined && outcome !== undefined) counter.inc({ kind, outcome, ...labelsOf(deployment) });
    done();
  });
}
