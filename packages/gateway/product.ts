import type { Product } from '@vouch/platform/product/product';
import { sendMessage } from './demo/sendMessage.ts';
import { gatewayChecks } from './doctor/gatewayChecks.ts';
import { gatewayErrors } from './errors.ts';
import { missingChainSettings, readChainSettings } from './intake/chainSettings.ts';
import { openGateway } from './intake/gatewayParts.ts';
import { addGatewayRoutes } from './intake/gatewayRoutes.ts';
import { createMessageCounter } from './intake/messageCounter.ts';
import { readRelayerKeys } from './intake/relayerKeys.ts';
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
    const parts = chainSettings === null ? null : openGateway(platform, settings, chainSettings, () => pipeline?.wake());
    const counter = createMessageCounter(platform.metrics);
    return {
      routes: (server) => addGatewayRoutes(server, platform, settings, parts, counter),
      jobs: [],
      checks: gatewayChecks(platform, settings, parts),
      start() {
        if (parts === null || missingChainSettings(settings).length > 0) return;
        const { rpc, chain } = parts;
        const multicall = settings.multicall_address;
        pipeline = startPipeline(platform, settings, {
          rpc,
          chainId: chain.chainId,
          contract: chain.contract,
          multicall: `0x${multicall.slice(2).toLowerCase()}`,
          deployment: () => chain.deployment(),
          relayerKeys: () => readRelayerKeys(settings),
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
