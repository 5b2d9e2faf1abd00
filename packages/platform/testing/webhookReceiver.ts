import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A callback that a receiver got. */
export interface Received {
  headers: Record<string, string>;
  body: string;
}

/** Answers a callback; `count` is its number, from 1. */
export type Answer = (count: number, response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of callbacks on the loopback address. */
export interface Receiver {
  port: number;
  /** The callbacks so far, in the order of their arrival. */
  received: readonly Received[];
  close(): Promise<void>;
}

/** Starts a receiver, which answers with `answer` and records its requests. */
export async function startReceiver(answer: Answer): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    answer(received.length, response, request);
  };
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> => new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, received, close };
}

/**
 * Verifies a callback as Standard Webhooks says.
 * @returns the body
 * @throws WebhookVerificationError if no signature is of the secret
 */
export function verify(received: Received | undefined, secret: string): unknown {
  if (received === undefined) throw new Error('nothing was received');
  // The library compares the signed time with the real time, but the clock of a test can be ahead.
  const time = Number(received.headers['webhook-timestamp']);
  const original = Date.now;
  Date.now = () => time * 1000;
  try {
    return new Webhook(secret).verify(received.body, received.headers);
  } finally {
    Date.now = original;
  }
}
