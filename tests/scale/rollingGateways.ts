import { runGatewayUpdate } from '../crash/gateway/gatewayUpdate.ts';
import { expectEqual, expectTrue, type HeavyTest } from './heavyTest.ts';
import { earlierProgram, missingEarlier } from './rollingUpdate.ts';

const seed = 1;

export const rollingGateways: HeavyTest = {
  name: 'rollingGateways',
  guarantee: 'two gateways of an earlier release are replaced one after the other with this one, and back, while messages are sent all the time: no request has to be repeated, and every accepted message takes effect once',
  skip: missingEarlier,
  async run(print) {
    const report = await runGatewayUpdate(earlierProgram, seed, ({ to, at, seconds }) => print(`${(at / 1_000).toFixed(1)} s: a gateway gets the ${to} program, in ${seconds.toFixed(1)} s`));
    const { updates, accepted, refused, repeated, ends, lost, twice } = report;
    for (const each of repeated.slice(0, 20)) print(`repeated: ${each}`);
    print(`messages ended ${JSON.stringify(ends)}; ${refused} refused`);
    expectTrue('no message was accepted', accepted > 0);
    expectEqual('lost', lost, []);
    expectEqual('duplicates', twice, []);
    expectEqual('repeated requests', repeated, []);
    print(`${updates} gateways updated; ${accepted} messages accepted: 0 lost, 0 applied twice; 0 requests repeated`);
  },
};
