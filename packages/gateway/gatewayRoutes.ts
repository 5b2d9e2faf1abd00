import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { budgetRoutes } from './budgets/budgets.route.ts';
import { signerListRoutes } from './budgets/signerLists.route.ts';
import { readBillRoute } from './records/readBill.route.ts';
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
import { readInfoRoute } from './info/readInfo.route.ts';
import { readRequestRoute } from './records/readRequest.route.ts';
import { replacedNodeRoute } from './intake/replacedNode.route.ts';
import { sendMessageRoutes } from './intake/sendMessage.route.ts';
import { answerFailure } from './intake/wire/answerFailure.ts';
import { messageKinds, messagePaths, prefixes } from './intake/wire/paths.ts';

/** What the routes work with. */
export interface GatewayRoutes {
  platform: Platform;
  settings: GatewaySettings;
  /** Every deployment, the default first. */
  deployments: readonly ServedDeployment[];
  records: RecordMemory;
  counter: MessageCounter;
}

/** Adds every route of the gateway. Those of further deployments are the same, behind the prefix of the deployment. */
export function addGatewayRoutes(server: FastifyInstance, gateway: GatewayRoutes): void {
  for (const deployment of gateway.deployments) {
    const { name } = deployment;
    if (name === defaultName) addDeploymentRoutes(server, gateway, deployment);
    else {
      void server.register(async (scope) => {
        scope.addHook('onRoute', (route) => { route.schema = { ...route.schema, tags: [`gateway: ${name}`] }; });
        addDeploymentRoutes(scope, gateway, deployment);
      }, { prefix: prefixOf(name) });
    }
  }
}

/** Without a chain, messages are answered with what has to be configured, and the records stay readable. */
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
      scope.setErrorHandler((failure, request, reply) => answerFailure(platform, failure, request, reply));
      // The server's own hook refuses unknown addresses before this is reached; it is here so that the refusal takes this scope's form.
      scope.setNotFoundHandler(async () => {});
      addCrossOrigin(scope, settings.gateway_origins ?? [], [...messageKinds.map((kind) => messagePaths[kind]), '/replaced_node']);
      countMessages(scope, counter, name);
      sendMessageRoutes(scope, () => ready().intake, { database, headers: settings.gateway_headers, deploymentPrefix: prefixOf(name) });
      replacedNodeRoute(scope, () => ready().chain);
    }, { prefix });
  }
  const isDefault = name === defaultName;
  readInfoRoute(server, { deployment, settings, listed: isDefault ? deployments : [] }, platform);
  readRequestRoute(server, { database, clock, timers, memory: records, serves: (stored) => deployments.some((each) => isOf(each, stored)) });
  const rows = scopeOf(parts?.budgets.service ?? null, others.flatMap((each) => each.parts?.budgets.service ?? []), isDefault);
  listBatchesRoute(server, database, platform.publicUrl, rows);
  orderRoutes(server, database, platform, rows);
  readBillRoute(server, database, clock, rows);
  // Budgets belong to a chain and a contract; no key that pays is needed to read or change them.
  const budgets = (): GatewayParts['budgets'] => {
    if (parts === null) throw notConfigured();
    return parts.budgets;
  };
  budgetRoutes(server, budgets, database, clock);
  signerListRoutes(server, budgets, database, clock);
}

/** Whether rows of this name are a deployment's. */
function isOf({ parts }: ServedDeployment, stored: string): boolean {
  if (parts === null) return false;
  const { chain: { knownName }, budgets: { service } } = parts;
  return knownName === null ? stored.startsWith(ofService(service).of) : stored === knownName;
}
