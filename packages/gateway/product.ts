import { openRecovery } from '@vouch/chain/messages/recover';
import { domainHash } from '@vouch/chain/messages/digest';
import { createRpcClient, type RpcClientOptions } from '@vouch/chain/rpc/createRpcClient';
import type { Platform, Product } from '@vouch/platform/product/product';
import { createRefusalCounter, measureBudgets } from './budgets/measureBudgets.ts';
import { sendMessage } from './demo/sendMessage.ts';
import { labelsOf, listDeployments, prefixOf, type GatewayConfiguration, type NamedDeployment } from './deployments/namedDeployment.ts';
import { gatewayFindings } from './doctor/gatewayFindings.ts';
import { gatewayChecks } from './doctor/gatewayChecks.ts';
import { gatewayErrors } from './errors/gatewayErrors.ts';
import { missingChainSettings, selectChainSettings } from './deployments/chainSettings.ts';
import { describeDomain, once, openGateway, type SharedParts } from './parts/gatewayParts.ts';
import { addGatewayRoutes } from './gatewayRoutes.ts';
import { createMessageCounter } from './intake/messageCounter.ts';
import type { SigningDomain } from './intake/signatures/signatureChecker.ts';
import { createActivityReporter } from './activityReporter/createActivityReporter.ts';
import { measureDays } from './activityReporter/measureDays.ts';
import { RecordMemory } from './records/recordMemory.ts';
import { createTurns, listRelayerKeys } from './sending/relayerKeys.ts';
import { createRetention, type Retention } from './retention/tidyRows.ts';
import { startPipeline, type Pipeline } from './sending/startPipeline.ts';
import { gatewaySettings, type GatewaySettings } from './settings/gatewaySettings.ts';

/** The signed-message gateway: it accepts an operator's signed message, submits the operation on-chain and pays the gas. */
export const gateway: Product = {
  name: 'gateway',
  configuration: gatewaySettings,
  errors: gatewayErrors,
  findings: gatewayFindings,
  migrations: new URL('./migrations/', import.meta.url),
  // The gateway stores only database rows, no blobs.
  blobReferences: 'SELECT NULL::text WHERE false',
  build(platform, given) {
    // The platform already validated the settings against `configuration`.
    const settings = given as GatewayConfiguration;
    const counter = createMessageCounter(platform.metrics);
    const { deployments, records } = openDeployments(platform, settings, (urls, chainId) => createRpcClient(rpcOptions(urls, chainId), platform));
    return {
      routes: (server) => addGatewayRoutes(server, { platform, settings, deployments, records, counter }),
      jobs: [],
      checks: gatewayChecks(platform, deployments),
      start() {
        for (const { start, parts } of deployments) {
          start();
          void parts?.intake.prepare();
        }
      },
      async close() {
        await Promise.all(deployments.map(({ close }) => close()));
      },
    };
  },
  demo: [sendMessage],
};

/** A running deployment of this process. */
type OpenDeployment = ReturnType<typeof openDeployment>;

/**
 * Opens every configured deployment with what the deployments of one process share. Nothing is sent before `start`.
 * @param openRpc creates the RPC client of one deployment
 */
export function openDeployments(
  platform: Platform, settings: GatewayConfiguration, openRpc: SharedParts['openRpc'],
): { deployments: OpenDeployment[]; records: RecordMemory } {
  const named = listDeployments(settings);
  const records = new RecordMemory();
  const shared: SharedParts = { headers: headerRules(settings), records, recovery: once(openRecovery), openRpc, domains: listDomains(named) };
  const refusals = createRefusalCounter(platform.metrics);
  const retention = createRetention(settings.gateway_retention_days, platform.metrics);
  const inTurn = createTurns();
  return { deployments: named.map((each) => openDeployment(platform, each, { shared, refusals, retention, inTurn })), records };
}

interface Common {
  shared: SharedParts;
  refusals: ReturnType<typeof createRefusalCounter>;
  retention: Retention;
  inTurn: ReturnType<typeof createTurns>;
}

/**
 * Options of a deployment's RPC client. The time limit of one endpoint is below the 30 s after which clients give up, so that clients still
 * receive the error.
 */
export function rpcOptions(urls: readonly string[], chainId: bigint): RpcClientOptions {
  return { urls, timeoutMs: 5_000, chainId };
}

/** Opens one deployment. Deployments do not wait for each other: each has its own RPC client and its own pipeline. */
function openDeployment(platform: Platform, deployment: NamedDeployment, { shared, refusals, retention, inTurn }: Common) {
  const { name, settings } = deployment;
  const { database, metrics, log } = platform;
  let pipeline: Pipeline | null = null;
  const chainSettings = selectChainSettings(settings);
  const parts = chainSettings === null ? null : openGateway(platform, deployment, chainSettings, shared, {
    stored: () => pipeline?.wake(),
    noteRefusal: (scope, kind) => refusals.inc({ scope, kind, ...labelsOf(name) }),
  });
  const relayerKeys = listRelayerKeys(deployment, { system: platform, environment: process.env }, inTurn);
  if (parts !== null) measureBudgets({ ...platform, connection: database, name }, parts.budgets);
  return {
    name, settings, parts, relayerKeys,
    start(): void {
      if (parts === null || missingChainSettings(deployment).length > 0) return;
      const { rpc, chain } = parts;
      const knownDeployment = (): Promise<string> => chain.nameSoon(platform.timers);
      measureDays({ metrics, connection: database, log, name, deployment: knownDeployment });
      pipeline = startPipeline(platform, settings, {
        name, rpc, relayerKeys, knownDeployment, retention,
        createReporter: settings.keeper ? () => createActivityReporter(settings.keeper_conclusions) : undefined,
        chainId: chain.chainId,
        contract: chain.contract,
        multicall: chain.multicall,
        deployment: () => chain.deployment(),
        readDeployment: () => chain.readDeployment(),
      });
    },
    async close(): Promise<void> {
      await pipeline?.close();
      await parts?.close();
    },
  };
}

function headerRules(settings: GatewaySettings): SharedParts['headers'] {
  return { strict: settings.gateway_headers === 'strict', origins: settings.gateway_origins ?? null, appIds: settings.gateway_app_ids ?? null };
}

function listDomains(deployments: readonly NamedDeployment[]): SigningDomain[] {
  return deployments.flatMap(({ name, settings }) => {
    const chain = selectChainSettings(settings);
    return chain === null ? [] : [{ name, prefix: prefixOf(name), hash: domainHash(chain.domain), text: describeDomain(chain) }];
  });
}
