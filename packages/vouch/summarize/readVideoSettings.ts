import type { OpenEngineRequest } from '@vouch/video/runs/openEngine';
import { readConfiguration } from '../wiring/configuration.ts';

/** What a summarization without a server needs of the configuration. */
export function readVideoSettings(): { settings: OpenEngineRequest['settings']; allowPrivateAddresses: boolean | string[] } {
  const configuration = readConfiguration();
  const given: Readonly<Record<string, unknown>> = configuration;
  return {
    // Checked against the schema of every product, the video's among them.
    settings: given as OpenEngineRequest['settings'],
    allowPrivateAddresses: configuration.allow_private_addresses,
  };
}
