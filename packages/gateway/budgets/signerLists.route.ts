import type { Connection } from '@vouch/platform/database/database';
import { typed } from '@vouch/platform/http/request';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { listSigner, signerLists, unlistSigner } from './budgetStore.ts';
import type { BudgetParts } from './budgets.route.ts';
import { describeSignerLists, SignerLists } from './signerLists.ts';

/**
 * Adds the routes of the signer lists, for the operator of the gateway.
 * @param parts throws Problem `chain-not-configured` if the deployment has no chain
 */
export function signerListRoutes(server: FastifyInstance, parts: () => BudgetParts, database: Connection, clock: Clock): void {
  const params = Type.Object({
    list: Type.Enum([...signerLists], { description: '`allow` or `deny`.' }),
    address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'Ethereum address of a signer.' }),
  });
  const shared = { tags: ['gateway'], response: { 200: SignerLists } };
  typed(server).get('/gateway/signers', {
    config: { scope: 'admin', operatorOnly: true, problems: ['chain-not-configured'] },
    schema: { ...shared, operationId: 'listSigners', summary: 'Allow list and deny list of signers' },
  }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return describeSignerLists(database, parts().service);
  });
  typed(server).put('/gateway/signers/:list/:address', {
    config: { scope: 'admin', operatorOnly: true, problems: ['chain-not-configured'] },
    schema: {
      ...shared, params, operationId: 'addSigner', summary: 'Add a signer to a list',
      description: 'The change applies to all gateway processes within two seconds. Messages that are already accepted stay accepted.',
      body: Type.Object({ note: Type.Optional(Type.String({ maxLength: 500, description: 'Reason, for other operators.' })) }, { additionalProperties: false }),
    },
  }, async (request, reply) => {
    const { service, policies } = parts();
    const { list, address } = request.params;
    await listSigner(database, service, { list, signer: address.toLowerCase(), note: request.body.note ?? null, changedAt: new Date(clock.now()) });
    policies.forget();
    reply.header('cache-control', 'no-store');
    return describeSignerLists(database, service);
  });
  typed(server).delete('/gateway/signers/:list/:address', {
    config: { scope: 'admin', operatorOnly: true, problems: ['chain-not-configured'] },
    schema: { ...shared, params, operationId: 'removeSigner', summary: 'Remove a signer from a list' },
  }, async (request, reply) => {
    const { service, policies } = parts();
    await unlistSigner(database, service, request.params.list, request.params.address.toLowerCase());
    policies.forget();
    reply.header('cache-control', 'no-store');
    return describeSignerLists(database, service);
  });
}
