import type { Operation } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { sampledTraceparentOfRequest } from '@vouch/platform/http/traceRequests';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { describeCommission } from '../calls/explainUnchanged.ts';
import { findTransactionHash } from '../records/transactions.ts';
import type { GatewaySettings } from '../settings/gatewaySettings.ts';
import type { Accepted, GatewayIntake } from './gatewayIntake.ts';
import { noteAcceptance } from './messageCounter.ts';
import { AcceptedAnswer, maxBodyBytes, FailureAnswer, messageBodies, MessageHeaders, OptionalMessageHeaders } from './wire/message.schema.ts';
import { messageKinds, messagePaths } from './wire/paths.ts';

const summaries: Readonly<Record<Operation['kind'], string>> = {
  enter: 'Enter the active set',
  exit: 'Leave the active set',
  commission: 'Change the commission',
  claimer: 'Set who receives the rewards',
  report: 'Report the result of an attestation',
};

const operationIds: Readonly<Record<Operation['kind'], string>> = {
  enter: 'enterActiveSet', exit: 'leaveActiveSet', commission: 'changeCommission', claimer: 'setRewardClaimer', report: 'reportVerification',
};

const description =
  'The body contains the signed fields (EIP-712) and the signature; the gateway pays the gas of the transaction. The gateway answers when the ' +
  'message is stored durably, not when it is confirmed. If the same message is sent again, even with another valid signature, the answer is the first `request_id`.';

/** Dependencies of the message routes. */
export interface MessageRoutes {
  database: Connection;
  headers: GatewaySettings['gateway_headers'];
  /** Path prefix of the deployment; empty for the default deployment. */
  deploymentPrefix: string;
}

/**
 * Adds the five POST routes to a scope that has the path prefix.
 * @param intake throws Problem `chain-not-configured` if the deployment has no chain
 */
export function sendMessageRoutes(scope: FastifyInstance, intake: () => GatewayIntake, { database, headers, deploymentPrefix }: MessageRoutes): void {
  for (const kind of messageKinds) {
    scope.post(messagePaths[kind], {
      bodyLimit: maxBodyBytes,
      config: { scope: null, form: messageBodies[kind], ownErrors: true },
      schema: {
        operationId: operationIds[kind],
        summary: summaries[kind],
        description,
        tags: ['gateway'],
        headers: headers === 'strict' ? MessageHeaders : OptionalMessageHeaders,
        response: { 200: AcceptedAnswer, 400: FailureAnswer, 503: FailureAnswer },
      },
    }, async (request, reply) => {
      const accepted = await intake().accept(kind, request.body, request.headers, sampledTraceparentOfRequest(request));
      reply.header('location', `${deploymentPrefix}/gateway/requests/${accepted.stored.requestId}`);
      return answer(database, reply, accepted);
    });
  }
}

/** Status 200 confirms only that the message is durable; the request's record shows the later result. */
async function answer(database: Connection, reply: FastifyReply, { message, stored }: Accepted): Promise<object> {
  noteAcceptance(reply, stored.repeated ? 'repeated' : stored.state === 'confirmed' ? 'unchanged' : 'accepted');
  reply.header('cache-control', 'no-store');
  const { operation, dialect } = message;
  // The deployed node software accepts only text or null as `data` and fails on an object.
  if (dialect === 'field' || operation.kind === 'report') return { code: 0, msg: 'ok', data: null };
  const hash = stored.batchId === null ? null : await findTransactionHash(database, stored.batchId);
  const data = { request_id: stored.requestId, status: stored.state, tx_hash: hash };
  if (operation.kind !== 'commission') return { code: 0, msg: 'ok', data };
  const note = `The commission is ${describeCommission(operation.commissionRate)}: ${operation.commissionRate} hundredths of a percent.`;
  return { code: 0, msg: 'ok', data: { ...data, note } };
}
