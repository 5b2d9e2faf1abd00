import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { GatewayTestServer, requiredHeaders } from '../../packages/gateway/testing/gatewayTestServer.ts';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import type { UnsignedMessage } from '../../packages/gateway/conformance/signMessage.ts';

/** Bodies that were signed, then changed anywhere: whatever arrives, the answer is 200 or 400 in the one form. */
const rounds = Number(process.env['VOUCH_TEST_FUZZ_RUNS'] ?? (exhaustive ? 600 : 200));
/** 20,000 messages took more than 300 s on two cores with 25 other busy processes. */
const limitMs = Math.max(300_000, 100 * rounds);
const seed = 20_260_101;

let server: GatewayTestServer;

beforeAll(async () => {
  server = await GatewayTestServer.start({ operators: 3, settings: { signer_quota: 0 } });
  await server.enter(...server.chain.operators.slice(0, 2));
});
afterAll(() => server.close());

const strange: readonly unknown[] = [
  null, true, '', ' ', '0x', '0X', '-1', '1e3', 1e308, -0, 0.1, 2 ** 53, 2 ** 32, 256, [], {}, [[]], { toString: 1 }, '\u0000', '\ud800', 'é', '0'.repeat(5_000),
  `0x${'f'.repeat(64)}`, `0x${'f'.repeat(40)}`, '115792089237316195423570985008687907853269984665640564039457584007913129639936',
];

function mutate(body: Record<string, unknown>, random: (below: number) => number): string {
  const names = Object.keys(body);
  const name = names[random(names.length)] as string;
  switch (random(6)) {
    case 0: return JSON.stringify({ ...body, [name]: strange[random(strange.length)] });
    case 1: return JSON.stringify(Object.fromEntries(Object.entries(body).filter(([each]) => each !== name)));
    case 2: {
      const text = JSON.stringify(body);
      const at = random(text.length);
      return text.slice(0, at) + String.fromCharCode(random(128)) + text.slice(at + random(3));
    }
    case 3: return JSON.stringify({ ...body, [name]: body[names[random(names.length)] as string] });
    case 4: return `${'{"a":'.repeat(random(100))}${JSON.stringify(body)}`;
    default: return JSON.stringify({ ...body, [JSON.stringify(strange[random(strange.length)])]: strange[random(strange.length)] });
  }
}

it(`${rounds} changed messages give no 5xx, and every refusal is a sentence in the one form`, async () => {
  const random = seededRandom(seed).below;
  const expired = (await server.now()) + 3_600;
  const { attestationIds: [id] } = await server.attest('fuzzed');
  const unsignedMessages: UnsignedMessage[] = [
    { kind: 'enter', replaced_node: zeroAddress, expired_at: expired }, { kind: 'exit', expired_at: expired }, { kind: 'claimer', claimer: zeroAddress, expired_at: expired },
    { kind: 'commission', commission_rate: 100, expired_at: expired }, { kind: 'report', attestation_id: id!, result: 1, index: 0 },
  ];
  const signed = await Promise.all(unsignedMessages.flatMap((unsigned) => server.chain.operators.map(async (account: TestAccount) => ({ unsigned, body: await server.sign(unsigned, account) }))));
  const outcomes = new Map<string, number>();
  for (let round = 0; round < rounds; round += 20) {
    const sent = Array.from({ length: 20 }, () => {
      const { unsigned, body } = signed[random(signed.length)]!;
      return { kind: unsignedMessages[random(20)]?.kind ?? unsigned.kind, text: mutate(body, random) };
    });
    const answers = await Promise.all(sent.map(({ kind, text }) => server.post<Record<string, unknown>>(kind, text, requiredHeaders)));
    answers.forEach(({ status, body }, at) => {
      expect([200, 400], `${sent[at]!.text.slice(0, 500)} gave ${status} ${JSON.stringify(body)}`).toContain(status);
      if (status === 400) expect(body).toEqual({ error: body['message'], code: expect.anything() as unknown, reason: expect.stringMatching(/^[a-z-]+$/) as string, message: expect.stringMatching(/^.{10,2000}$/s) as string });
      const outcome = status === 200 ? 'accepted' : String(body['reason']);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    });
  }
  // The changes reach every depth: what cannot be read, what is wrong in a field, and what was signed otherwise.
  for (const outcome of ['accepted', 'malformed-request', 'message-invalid', 'signer-mismatch', 'signature-invalid']) expect(outcomes.get(outcome), JSON.stringify([...outcomes])).toBeGreaterThan(0);
}, limitMs);
