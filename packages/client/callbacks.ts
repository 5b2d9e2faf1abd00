import { Webhook } from 'standardwebhooks';
import type { Run, Training } from './generated/schemas.ts';

/** The body of a callback. */
export type Callback =
  | { type: `model.training.${'completed' | 'error' | 'cancelled'}`; timestamp: string; data: Training }
  | { type: `video.summarization.${'completed' | 'error' | 'cancelled'}`; timestamp: string; data: Run };

/**
 * Checks that Vouch sent a callback, and that the callback is not older than five minutes (Standard Webhooks).
 * @param secret the text that `vouch webhooks secret show` prints: `whsec_…`
 * @param headers headers of the request; names in lower case, as Node gives them, or a `Headers`
 * @param body text of the request as received: parsed and written again, the text may differ
 * @throws WebhookVerificationError of `standardwebhooks`, which states the cause
 */
export function verifyCallback(secret: string, headers: Headers | Readonly<Record<string, string | string[] | undefined>>, body: string): Callback {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const found = names.map((name) => [name, String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')]);
  return new Webhook(secret).verify(body, Object.fromEntries(found) as Record<string, string>) as Callback;
}
