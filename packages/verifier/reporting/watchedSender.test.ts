import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { createLogger } from '@vouch/platform/log/logger';
import { describe, expect, it } from 'vitest';
import { Alarms } from '../context/alarms.ts';
import { SendFault, type Sender } from '../context/sender.ts';
import { watchSender } from './watchedSender.ts';

const report = { kind: 'report', attestationId: `0x${'1'.repeat(64)}`, result: 0, index: 0 } as const;

/** Creates a watched sender. `sendAt` sends at a given time; the gateway then answers with `fault`, or with success if `fault` is null. */
function watched(): { sendAt(seconds: number, fault: SendFault | null): Promise<void>; standing(): string[] } {
  const clock = { ms: 0, now: () => clock.ms };
  const alarms = new Alarms(createLogger('silent'), clock, () => undefined);
  let answer: SendFault | null = null;
  const inner: Sender = {
    send: async () => { if (answer !== null) throw answer; },
    replacedNode: async () => zeroAddress,
    tend: async () => undefined,
  };
  const sender = watchSender(inner, alarms, clock);
  return {
    sendAt: async (seconds, fault) => {
      clock.ms = seconds * 1_000;
      answer = fault;
      await sender.send(report, async () => undefined, new AbortController().signal).catch(() => undefined);
    },
    standing: () => alarms.standing.map(({ code }) => code),
  };
}

const kinds = [
  ['gateway-unavailable', new SendFault('unavailable', 'no answer'), 120],
  ['gateway-disagrees', new SendFault('refused', 'The node is not chosen.', 'not-chosen'), 45],
] as const;

describe.each(kinds)('%s', (code, fault, seconds) => {
  it('is raised where a gateway fails so for long enough, and is over with the next success', async () => {
    const { sendAt, standing } = watched();
    for (const at of [0, seconds - 1]) await sendAt(at, fault);
    expect(standing()).toEqual([]);
    await sendAt(seconds, fault);
    expect(standing()).toEqual([code]);
    await sendAt(seconds + 1, null);
    expect(standing()).toEqual([]);
  });

  it('is not raised by two failures hours apart with nothing sent between them, nor by a clock that jumps', async () => {
    const { sendAt, standing } = watched();
    await sendAt(0, fault);
    await sendAt(4 * 3_600, fault);
    await sendAt(4 * 3_600 + 5, fault);
    await sendAt(100 * 86_400, fault);
    await sendAt(10, fault);
    expect(standing()).toEqual([]);
  });
});
