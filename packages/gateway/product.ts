import type { Product } from '@vouch/platform/product/product';
import { createRefusalCounter, measureBudgets } from './budgets/measureBudgets.ts';
import { sendMessage } from './demo/sendMessage.ts';
import { gatewayChecks } from './doctor/gatewayChecks.ts';
import { gatewayErrors } from './errors.ts';
import { missingChainSettings, readChainSettings } from './intake/chainSettings.ts';
import { openGateway } from './intake/gatewayParts.ts';
import { addGatewayRoutes } from './intake/gatewayRoutes.ts';
import { createMessageCounter } from './intake/messageCounter.ts';
import { measureDays } from './keeper/measureDays.ts';
import { listRelayerKeys } from './sending/relayerKeys.ts';
import { startPipeline, type Pipeline } from './sending/startPipeline.ts';
import { gatewaySettings, type GatewaySettings } from './settings.ts';

/** The signed-message gateway: an operator's signature in, the operation on the chain, paid by us. */
export const gateway: Product = {
  name: 'gateway',
  configuration: gatewaySettings,
  errors: gatewayErrors,
  migrations: new URL('./migrations/', import.meta.url),
  // Everything of the gateway is rows.
  blobReferences: 'SELECT NULL::text WHERE false',
  build(platform, given) {
    // The wiring checked them against `configuration`.
    const settings = given as GatewaySettings;
    let pipeline: Pipeline | null = null;
    const chainSettings = readChainSettings(settings);
    const refusals = createRefusalCounter(platform.metrics);
    const noteRefusal = (scope: string, kind: string): void => refusals.inc({ scope, kind });
    const parts = chainSettings === null ? null : openGateway(platform, settings, chainSettings, { stored: () => pipeline?.wake(), noteRefusal });
    const counter = createMessageCounter(platform.metrics);
    const relayerKeys = listRelayerKeys(settings, { doors: platform, environment: process.env });
    if (parts !== null) measureBudgets({ ...platform, connection: platform.database }, parts.budgets);
    return {
      routes: (server) => addGatewayRoutes(server, platform, settings, parts, counter),
      jobs: [],
      checks: gatewayChecks(platform, settings, parts, relayerKeys),
      start() {
        if (parts === null || missingChainSettings(settings).length > 0) return;
        const { rpc, chain } = parts;
        measureDays({ metrics: platform.metrics, connection: platform.database, log: platform.log, deployment: async () => (await chain.deployment()).name });
        const multicall = settings.multicall_address;
        pipeline = startPipeline(platform, settings, {
          rpc,
          chainId: chain.chainId,
          contract: chain.contract,
          multicall: `0x${multicall.slice(2).toLowerCase()}`,
          deployment: () => chain.deployment(),
          relayerKeys,
        });
      },
      async close() {
        await pipeline?.close();
        await parts?.close();
      },
    };
  },
  demo: [sendMessage],
};
