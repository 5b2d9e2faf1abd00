import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { readBillRoute } from '../confirming/readBill.route.ts';
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
  readInfoRoute(server, settings, parts, platform.database);
  readRequestRoute(server, platform.database, platform.clock);
  listBatchesRoute(server, platform.database, platform.publicUrl);
  readBillRoute(server, platform.database, platform.clock);
}
