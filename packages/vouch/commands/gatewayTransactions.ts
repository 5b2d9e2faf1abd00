import type { OrderRecord, WaitingTransaction } from '@vouch/gateway/orders/orderRecord';
import type { OrderKind } from '@vouch/gateway/orders/orderStore';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { InvalidArgumentError, type Command } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';
import { formatTable } from '../terminal/table.ts';

interface OrderOptions {
  maxFeeGwei?: number;
  wait: number;
  json?: boolean;
}

/** Option that selects a deployment of the file VOUCH_GATEWAY_DEPLOYMENTS. */
export const ofDeployment = ['--deployment <name>', 'a deployment of the file VOUCH_GATEWAY_DEPLOYMENTS (default: the deployment of the environment variables)'] as const;

/** Interval between polls for the result of an order. */
const lookMs = 300;

/** Adds the commands for pending transactions: list, speed up, cancel. */
export function addTransactions(gateway: Command): void {
  gateway
    .command('transactions')
    .description('List the pending transactions with nonce, age and fees.')
    .option(...ofDeployment)
    .option('--json', 'print the result as JSON')
    .action(async ({ deployment, json }: { deployment?: string; json?: boolean }) => {
      const { listWaiting } = await import('@vouch/gateway/orders/orderRecord');
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const { chooseDeployment } = await import('./chooseDeployment.ts');
      const { rows } = await chooseDeployment(deployment);
      const waiting = await withPlatform((platform) => listWaiting(platform.database, platform.clock.now(), rows));
      process.stdout.write(json ? `${JSON.stringify(waiting)}\n` : `${waiting.length === 0 ? 'No transaction is pending.' : describeWaiting(waiting)}\n`);
    });
  addOrder(gateway, 'speed-up', 'speed_up', 'Replace a pending transaction with one that pays at least 12.5 % higher fees.');
  addOrder(gateway, 'cancel', 'cancel', 'Replace a pending transaction with an empty transfer. Its messages return to the queue when the transfer is confirmed.');
}

function addOrder(gateway: Command, name: string, kind: OrderKind, description: string): void {
  gateway
    .command(`${name} <batch>`)
    .description(description)
    .option('--max-fee-gwei <fee>', 'highest fee per unit of gas (default: the lowest fee that chain nodes accept for a replacement)', positive)
    .option('--wait <seconds>', 'seconds to wait for the gateway that holds the relayer key', wholeSeconds, 15)
    .option('--json', 'print the order as JSON')
    .action(async (batchId: string, { maxFeeGwei, wait, json }: OrderOptions) => {
      const order = await give(batchId, kind, maxFeeGwei, wait * 1_000);
      process.stdout.write(json ? `${JSON.stringify(order)}\n` : `${describeOrder(order)}\n`);
      if (order.status === 'refused' || order.status === 'too_late') process.exitCode = exitCodes.notInOrder;
      if (order.status === 'waiting') process.exitCode = exitCodes.failed;
    });
}

/** Stores the order and waits for its result. If the wait ends first, the order stays valid. */
async function give(batchId: string, kind: OrderKind, maxFeeGwei: number | undefined, waitMs: number): Promise<OrderRecord> {
  const { newOrderId, toWei } = await import('@vouch/gateway/orders/orders.route');
  const { placeOrder } = await import('@vouch/gateway/orders/orderStore');
  const { loadOrder } = await import('@vouch/gateway/orders/orderRecord');
  const { Problem } = await import('@vouch/platform/errors/problem');
  const { withPlatform } = await import('../wiring/withPlatform.ts');
  return withPlatform(async ({ database, clock, timers, random }) => {
    try {
      const orderId = await placeOrder(database, { orderId: newOrderId({ random }), batchId, kind, maxFeeWei: toWei(maxFeeGwei) }, new Date(clock.now()));
      const until = clock.now() + waitMs;
      let order = await loadOrder(database, orderId);
      while (order.status === 'waiting' && clock.now() < until) {
        await timers.sleep(lookMs);
        order = await loadOrder(database, orderId);
      }
      return order;
    } catch (error) {
      if (error instanceof Problem) throw new CommandFault(exitCodes.input, `${error.detail} vouch gateway transactions lists the pending transactions.`);
      throw error;
    }
  });
}

function describeWaiting(waiting: readonly WaitingTransaction[]): string {
  return formatTable('Pending transactions', ['batch', 'relayer', 'nonce', 'messages', 'age', 'attempts', 'max fee (gwei)', 'tip (gwei)', 'is'],
    waiting.map(({ batch_id: batch, relayer, nonce, operations, age_seconds: age, attempts, cancels, order }) => {
      const last = attempts.at(-1);
      const state = [cancels ? 'cancelled, unless a block includes the original' : 'sent', ...(last?.refusal == null ? [] : [`rejected by chain nodes: ${last.refusal}`]), ...(order?.status === 'waiting' ? [`${order.kind} ordered`] : [])];
      return [batch, relayer, nonce, operations, `${age} s`, attempts.length, last?.max_fee_gwei ?? '', last?.priority_fee_gwei ?? '', state.join('; ')];
    }));
}

function describeOrder({ order_id: id, kind, status, reason, transaction_hash: hash, batch_id: batch }: OrderRecord): string {
  const what = kind === 'cancel' ? 'The empty transfer' : 'The replacement';
  switch (status) {
    case 'refused': return `The order on ${batch} was not carried out. ${reason ?? ''}`;
    case 'waiting': return `The order ${id} waits: no gateway has used the relayer key in the meantime. The next gateway that uses the key carries out the order; vouch doctor shows the obstacle.`;
    case 'too_late': return `The order on ${batch} came too late: a block includes the original transaction.`;
    case 'landed': return `${what} ${hash ?? ''} is in a block.`;
    default: return `${what} ${hash ?? ''} was sent.${kind === 'cancel' ? ' A block may still include the original transaction. Otherwise, its messages return to the queue when the empty transfer is confirmed.' : ''}`;
  }
}

function positive(text: string): number {
  const value = Number(text);
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(text) || value <= 0) throw new InvalidArgumentError('The value must be a number of gwei above 0, with at most three decimals.');
  return value;
}

function wholeSeconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('The value must be a number of seconds from 0 to 9999.');
  return Number(text);
}
