import type { OpenEngineRequest } from '@vouch/video/runs/openEngine';
import { readConfiguration } from '../wiring/configuration.ts';

/** Reads the settings that a summarization without a server needs. */
export function loadVideoSettings(): { settings: OpenEngineRequest['settings']; allowPrivateAddresses: boolean | string[] } {
  const configuration = readConfiguration();
  const given: Readonly<Record<string, unknown>> = configuration;
  return {
    // The cast is safe: the configuration has been checked against the schemas of all products, including the video product.
    settings: given as OpenEngineRequest['settings'],
    allowPrivateAddresses: configuration.allow_private_addresses,
  };
}
