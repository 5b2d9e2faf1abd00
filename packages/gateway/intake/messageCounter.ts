import type { FastifyInstance, FastifyReply } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { labelsOf } from '../deployments/namedDeployment.ts';
import { messageKinds, messagePaths } from './wire/paths.ts';

export type MessageCounter = Counter<'kind' | 'outcome' | 'deployment'>;

/** What an acceptance was: a new row, one that nothing has to be done for, or a message that was there before. */
export type Acceptance = 'accepted' | 'unchanged' | 'repeated';

const acceptances = new WeakMap<FastifyReply, Acceptance>();

/** The counter of messages by kind and outcome: an acceptance, or the code of the refusal. */
export function createMessageCounter(metrics: Registry): MessageCounter {
  return new Counter({
    name: 'vouch_gateway_messages_total',
    help: 'Signed messages by kind and outcome: accepted, unchanged (no transaction needed), repeated, or the code of the refusal.',
    labelNames: ['kind', 'outcome', 'deployment'],
    registers: [metrics],
  });
}

/** Notes how a message was accepted, for the counter. */
export function noteAcceptance(reply: FastifyReply, acceptance: Acceptance): void {
  acceptances.set(reply, acceptance);
}

/** Counts every answer to a message in the scope. @param deployment its name in the settings */
export function countMessages(scope: FastifyInstance, counter: MessageCounter, deployment: string): void {
  const kinds = new Map(messageKinds.map((kind) => [scope.prefix + messagePaths[kind], kind]));
  scope.addHook('onResponse', (request, reply, done) => {
    const kind = kinds.get(request.routeOptions.url ?? '');
    const outcome = request.problemCode ?? acceptances.get(reply);
    if (kind !== undefined && outcome !== undefined) counter.inc({ kind, outcome, ...labelsOf(deployment) });
    done();
  });
}
