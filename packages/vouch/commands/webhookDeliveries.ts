import type { Delivery, DeliveryDetail } from '@vouch/client/generated/schemas';
import type { Command } from 'commander';
import { addServerFlags, callServer, parseNumber, type ServerFlags } from '../terminal/callServer.ts';
import { formatTable } from '../terminal/table.ts';

/** Adds the commands that list the callbacks of a running server and send them again. */
export function addDeliveries(webhooks: Command): void {
  addServerFlags(webhooks.command('list').description('List the newest callbacks.').option('--number <count>', 'maximum number of callbacks', parseNumber, 20))
    .addHelpText('after', '\nNeeds a key with the scope admin. The reason is that of the last attempt.')
    .action((flags: ServerFlags & { number: number }) => callServer(flags, (client) => client.listDeliveries({ limit: flags.number }), describeDeliveries));
  addServerFlags(webhooks.command('show <callback>').description('Print one callback: its attempts, and what it says.'))
    .action((callback: string, flags: ServerFlags) => callServer(flags, (client) => client.getDelivery({ delivery_id: callback }), describeDetail));
  addServerFlags(webhooks.command('redeliver <callback>').description('Send a callback again, at once and for another 24 hours.'))
    .addHelpText('after', '\nAlso sends callbacks that were delivered or given up.')
    .action((callback: string, flags: ServerFlags) => callServer(flags, (client) => client.redeliver({ delivery_id: callback }), describeDelivery));
}

function describeDeliveries(deliveries: readonly Delivery[]): string {
  if (deliveries.length === 0) return 'The organization has no callbacks. callback_url of a training, and on_completed_hook of a run, request one.';
  const rows = deliveries.map(({ delivery_id: id, type, url, status, attempts, created_at: created, last_error: reason }) => [id, type, status, attempts, created, url, reason ?? '']);
  return formatTable('Callbacks', ['id', 'type', 'status', 'attempts', 'created', 'url', 'reason'], rows);
}

function describeDelivery({ delivery_id: id, type, url, status, attempts, next_attempt_at: next, last_error: reason }: Delivery): string {
  return [
    `The callback ${id} (${type}) to ${url}: ${status} after ${attempts} attempts.`,
    ...(next === null ? [] : [`Next attempt: ${next}`]),
    ...(reason === null ? [] : [`The last attempt failed: ${reason}.`]),
  ].join('\n');
}

function describeDetail(delivery: DeliveryDetail): string {
  const rows = delivery.attempt_list.map(({ number, started_at: started, duration_ms: ms, answer_status: status, error }) => [number, started, ms, status ?? '', error ?? 'delivered']);
  return [describeDelivery(delivery), ...(rows.length === 0 ? [] : [formatTable('Attempts', ['number', 'started', 'ms', 'answer', 'result'], rows)]), `Body: ${delivery.body}`].join('\n');
}
