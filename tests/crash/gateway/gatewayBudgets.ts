import { setTimeout as sleep } from 'node:timers/promises';
import type { VouchPlace } from '../harness/vouchSubjects.ts';

/** Gas counters of a gateway's budgets, and the gas of the receipts. */
export interface GasCounts {
  /** Reserved for messages that have not ended. */
  reserved: number;
  spent: number;
  /** Total gas of all receipts with messages. */
  billed: number;
}

const kinds = ['enter', 'exit', 'commission', 'claimer', 'report'] as const;
const plenty = 1e12;
const dayMs = 86_400_000;

async function ask<Answer>({ host = '127.0.0.1', port, key }: VouchPlace, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`http://${host}:${port}${path}`, {
    method, headers: { apikey: key, 'content-type': 'application/json' }, ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** Raises the budgets above the load of a few signers. */
export async function openBudgets(place: VouchPlace): Promise<void> {
  const gas = Object.fromEntries(kinds.map((kind) => [kind, plenty]));
  for (const scope of ['signer', 'license', 'total']) await ask(place, 'PUT', `/gateway/budgets/${scope}`, { gas });
}

/**
 * Reads the counters of all days of a run until they equal the receipts, which they do once no message is pending.
 * @returns the last values, at the latest after `withinMs` milliseconds
 */
export async function fetchGasCounts(place: VouchPlace, withinMs: number): Promise<GasCounts> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const days = await Promise.all([0, dayMs].map((before) => {
      const day = new Date(Date.now() - before).toISOString().slice(0, 10);
      return ask<{ total: { spent: number; reserved: number }[] }>(place, 'GET', `/gateway/budgets?day=${day}`);
    }));
    const { gas: billed } = await ask<{ gas: number }>(place, 'GET', '/gateway/bill');
    const totals = days.flatMap(({ total }) => total);
    const counts = { reserved: totals.reduce((sum, { reserved }) => sum + reserved, 0), spent: totals.reduce((sum, { spent }) => sum + spent, 0), billed };
    if ((counts.reserved === 0 && counts.spent === billed) || performance.now() > deadline) return counts;
    await sleep(200);
  }
}
