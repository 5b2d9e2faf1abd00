import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { budgetRoutes } from './budgets/budgets.route.ts';
import { signerListRoutes } from './budgets/signerLists.route.ts';
import { billRoute } from './records/bill.route.ts';
import { defaultName, prefixOf } from './deployments/namedDeployment.ts';
import { orderRoutes } from './orders/orders.route.ts';
import type { RecordMemory } from './records/recordMemory.ts';
import { ofService, scopeOf } from './requests/rowScope.ts';
import type { GatewaySettings } from './settings/gatewaySettings.ts';
import { chainNotConfigured, missingChainSettings } from './deployments/chainSettings.ts';
import { addCrossOrigin } from './intake/crossOrigin.ts';
import type { GatewayParts, ServedDeployment } from './parts/gatewayParts.ts';
import { listBatchesRoute } from './records/listBatches.route.ts';
import { countMessages, type MessageCounter } from './intake/messageCounter.ts';
import { infoRoute } from './info/info.route.ts';
import { requestRoute } from './records/request.route.ts';
import { replacedNodeRoute } from './intake/replacedNode.route.ts';
import { sendMessageRoutes } from './intake/sendMessage.route.ts';
import { answerFailure } from './intake/wire/answerFailure.ts';
import { messageKinds, messagePaths, prefixes } from './intake/wire/paths.ts';

/** Dependencies of the gateway's routes. */
export interface GatewayRoutes {
  platform: Platform;
  settings: GatewaySettings;
  /** Every deployment; the default deployment is first. */
  deployments: readonly ServedDeployment[];
  records: RecordMemory;
  counter: MessageCounter;
}

/**
 * Adds every route of the gateway. The routes of a named deployment equal the default routes, with the deployment's prefix
 * before the path.
 */
export function addGatewayRoutes(server: FastifyInstance, gateway: GatewayRoutes): void {
  for (const deployment of gateway.deployments) {
    const { name } = deployment;
    if (name === defaultName) addDeploymentRoutes(server, gateway, deployment);
    else {
      void server.register(async (scope) => {
        scope.addHook('onRoute', (route) => { route.schema = { ...route.schema, tags: [`gateway: ${name}`] }; });
        addIdSuffix(scope, name);
        addDeploymentRoutes(scope, gateway, deployment);
      }, { prefix: prefixOf(name) });
    }
  }
}

/** Adds the words of a path or name to the operation ids of a scope, e.g. `enterActiveSet` becomes `enterActiveSetExplorer`, because ids are unique. */
function addIdSuffix(scope: FastifyInstance, of: string): void {
  const suffix = of.replaceAll(/[^A-Za-z0-9]*([A-Za-z0-9]+)/g, (_, word: string) => word.charAt(0).toUpperCase() + word.slice(1));
  scope.addHook('onRoute', (route) => {
    const operationId = route.schema?.operationId;
    if (operationId !== undefined) route.schema = { ...route.schema, operationId: operationId + suffix };
  });
}

/** Without a configured chain, the message routes answer with the missing settings; the routes that read records still work. */
function addDeploymentRoutes(server: FastifyInstance, gateway: GatewayRoutes, deployment: ServedDeployment): void {
  const { platform, settings, deployments, records, counter } = gateway;
  const { database, clock, timers } = platform;
  const { name, parts } = deployment;
  const others = deployments.filter((each) => each !== deployment);
  const notConfigured = (): Error => chainNotConfigured(deployment, others.map((each) => each.name));
  const ready = (): GatewayParts => {
    if (parts === null || missingChainSettings(deployment).length > 0) throw notConfigured();
    return parts;
  };
  for (const prefix of prefixes) {
    void server.register(async (scope) => {
      if (prefix !== prefixes[0]) addIdSuffix(scope, prefix);
      scope.setErrorHandler((failure, request, reply) => answerFailure(platform, failure, request, reply));
      // The server's own hook refuses unknown paths before this handler runs; the handler gives that refusal this scope's error
      // format.
      scope.setNotFoundHandler(async () => {});
      addCrossOrigin(scope, settings.gateway_origins ?? [], [...messageKinds.map((kind) => messagePaths[kind]), '/replaced_node']);
      countMessages(scope, counter, name);
      sendMessageRoutes(scope, () => ready().intake, { database, headers: settings.gateway_headers, deploymentPrefix: prefixOf(name) });
      replacedNodeRoute(scope, () => ready().chain);
    }, { prefix });
  }
  const isDefault = name === defaultName;
  infoRoute(server, { deployment, settings, listed: isDefault ? deployments : [] }, platform);
  requestRoute(server, { database, clock, timers, memory: records, retentionDays: settings.gateway_retention_days, serves: (stored) => deployments.some((each) => isOf(each, stored)) });
  const rows = scopeOf(parts?.budgets.service ?? null, others.flatMap((each) => each.parts?.budgets.service ?? []), isDefault);
  listBatchesRoute(server, database, platform.publicUrl, rows);
  orderRoutes(server, database, platform, rows);
  billRoute(server, database, clock, rows);
  // Budgets belong to a chain and a contract; reading or changing budgets does not require a relayer key.
  const budgets = (): GatewayParts['budgets'] => {
    if (parts === null) throw notConfigured();
    return parts.budgets;
  };
  budgetRoutes(server, budgets, database, clock);
  signerListRoutes(server, budgets, database, clock);
}

/** Whether the stored deployment name `stored` belongs to this deployment. */
function isOf({ parts }: ServedDeployment, stored: string): boolean {
  if (parts === null) return false;
  const { chain: { knownName }, budgets: { service } } = parts;
  return knownName === null ? stored.startsWith(ofService(service).of) : stored === knownName;
}
