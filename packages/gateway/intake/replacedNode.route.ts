import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { typed } from '@vouch/platform/http/request';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { getAddress } from 'viem/utils';
import { gatewayErrors } from '../errors/gatewayErrors.ts';
import type { GatewayChain } from './chainState/gatewayChain.ts';
import { FailureAnswer } from './wire/message.schema.ts';
import { parseAddress } from './wire/parseField.ts';

const Query = Type.Object({
  verifierAddr: Type.Optional(Type.String({ description: 'Ethereum address of the node that asks to enter. With this parameter, the answer names only a node with less weight.' })),
});

const ReplacedNode = Type.Object({
  code: Type.Integer(),
  msg: Type.String(),
  data: Type.Object({ replaced_addr: Type.String({ description: 'The zero address while the active set has room.' }) }),
}, { title: 'ReplacedNode', examples: [{ code: 0, msg: 'ok', data: { replaced_addr: zeroAddress } }] });

/**
 * GET replaced_node: the node that an entering node may replace. `data` is never null, because the deployed node software
 * fails on null.
 */
export function replacedNodeRoute(scope: FastifyInstance, chain: () => GatewayChain): void {
  typed(scope).get('/replaced_node', {
    config: { scope: null, ownErrors: true },
    schema: {
      operationId: 'getReplacedNode',
      summary: 'The node that a new node can replace',
      description: 'The node with the least weight if the active set is full, otherwise the zero address.',
      tags: ['gateway'],
      querystring: Query,
      response: { 200: ReplacedNode, 400: FailureAnswer, 503: FailureAnswer },
    },
  }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const given = request.query.verifierAddr ?? '';
    const node = given === '' ? null : parseAddress('verifierAddr', given);
    if (node !== null && 'fault' in node) throw gatewayErrors.problem('message-invalid', node.fault);
    const replaced = await findReplaceable(chain(), node?.value ?? null);
    return { code: 0, msg: 'ok', data: { replaced_addr: replaced === zeroAddress ? zeroAddress : getAddress(replaced) } };
  });
}

async function findReplaceable(chain: GatewayChain, newcomer: Parameters<GatewayChain['weight']>[0] | null) {
  if (!(await chain.isFull())) return zeroAddress;
  const nodes = await chain.activeNodes();
  if (nodes === null) {
    throw gatewayErrors.problem('replaced-not-active', 'The active set is full, and the contract does not list the weights of its nodes. Choose a node with less delegation than yours and name it.');
  }
  const lightest = nodes.reduce((least, each) => (each.weight < least.weight ? each : least), { node: zeroAddress, weight: Infinity });
  if (newcomer === null) return lightest.node;
  const weight = await chain.weight(newcomer);
  if (weight > lightest.weight) return lightest.node;
  throw gatewayErrors.problem('replaced-too-heavy',
    `The active set is full, its lightest node ${getAddress(lightest.node)} has a weight of ${lightest.weight}, and ${getAddress(newcomer)} has ${weight}, which is not more. Delegate further licenses to the new node.`);
}
