import type { DemoStep } from '@vouch/platform/product/product';

/** The demo of the gateway. */
export const runGatewayDemo: DemoStep = {
  name: 'gateway',
  async run() {},
};
