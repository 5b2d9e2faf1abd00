import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { budgetRoutes } from '../budgets/budgets.route.ts';
import { signerListRoutes } from '../budgets/signerLists.route.ts';
import { readBillRoute } from '../confirming/readBill.route.ts';
import { orderRoutes } from '../orders/orders.route.ts';
import { RecordMemory } from '../requests/recordMemory.ts';
import type { GatewaySettings } from '../settings.ts';
import { chainNotConfigured, missingChainSettings } from './chainSettings.ts';
import { addCrossOrigin } from './crossOrigin.ts';
import type { GatewayParts } from './gatewayParts.ts';
import { listBatchesRoute } from './listBatches.route.ts';
import { countMessages, type MessageCounter } from './messageCounter.ts';
import { readInfoRoute } from './readInfo.route.ts';
import { readRequestRoute } from './readRequest.route.ts';
import { replacedNodeRoute } from './replacedNode.route.ts';
import { sendMessageRoutes } from './sendMessage.route.ts';
import { answerFailure } from './wire/answerFailure.ts';
import { messageKinds, messagePaths, prefixes } from './wire/paths.ts';

/**
 * Adds every route of the gateway.
 * @param parts null without a chain: messages are answered with what has to be configured, the records stay readable
 */
export function addGatewayRoutes(
  server: FastifyInstance, platform: Platform, settings: GatewaySettings, parts: GatewayParts | null, counter: MessageCounter,
): void {
  const ready = (): GatewayParts => {
    if (parts === null || missingChainSettings(settings).length > 0) throw chainNotConfigured(settings);
    return parts;
  };
  for (const prefix of prefixes) {
    void server.register(async (scope) => {
      scope.setErrorHandler((failure, request, reply) => answerFailure(platform, failure, request, reply));
      // The server's own hook refuses unknown addresses before this is reached; it is here so that the refusal takes this scope's form.
      scope.setNotFoundHandler(async () => {});
      addCrossOrigin(scope, settings.gateway_origins ?? [], [...messageKinds.map((kind) => messagePaths[kind]), '/replaced_node']);
      countMessages(scope, counter);
      sendMessageRoutes(scope, () => ready().intake, platform.database, settings.gateway_headers);
      replacedNodeRoute(scope, () => ready().chain);
    }, { prefix });
  }
  readInfoRoute(server, settings, parts, platform);
  const { database, clock, timers } = platform;
  readRequestRoute(server, { database, clock, timers, memory: parts?.records ?? new RecordMemory() });
  listBatchesRoute(server, platform.database, platform.publicUrl);
  orderRoutes(server, platform.database, platform);
  readBillRoute(server, platform.database, platform.clock);
  // Budgets belong to a chain and a contract; no key that pays is needed to read or change them.
  const budgets = (): GatewayParts['budgets'] => {
    if (parts === null) throw chainNotConfigured(settings);
    return parts.budgets;
  };
  budgetRoutes(server, budgets, platform.database, platform.clock);
  signerListRoutes(server, budgets, platform.database, platform.clock);
}
