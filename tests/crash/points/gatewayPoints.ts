import { openBudgets } from '../gateway/gatewayBudgets.ts';
import type { GatewayWorld } from '../gateway/gatewayWorld.ts';
import type { PointOperation } from './crashAtPoints.ts';
import { findWrongGas, PointMessages } from './pointMessages.ts';
import { anyOf } from './quietPoints.ts';

const usualBaseFeeWei = 1_000_000_000n;
/** Reads of the chain, and changes beside any message: of leases, of the state of a key, of what was seen on the chain, and of rows that are too old. */
const beside = anyOf(
  /\brequest POST eth_(?:blockNumber|call|chainId|estimateGas|feeHistory|get\w+|simulateV1)$/, /\bleases SET\b/, /\binto leases\b/,
  /\bgateway_(?:lines|scans|attestations|activity)\b/, /\bwith ended as \( ?update gateway_requests r set state = 'expired'/, /\bdelete from gateway_/, /\bwebhook_deliveries SET\b/,
);

/**
 * Returns what the operations of a gateway share: after a death, each message is once on the chain, and at the end the budgets equal the receipts.
 * @param environment variables of the program
 */
function gatewayPoints(name: string, messages: PointMessages, environment: Readonly<Record<string, string>> = {}): Omit<PointOperation, 'perform'> {
  return {
    name, arguments: ['--only', 'gateway'], beside,
    open: () => messages.open(environment),
    prepare: ({ place }) => openBudgets(place),
    recover: (world, id) => messages.check(world, [id]),
    finish: async (world, ids) => [...await messages.check(world, ids), ...await findWrongGas(world)],
  };
}

/**
 * Sends two signed messages. After a death, the repeated messages get the record of the first answer; at the end, each is once on the chain, and the
 * budgets equal the receipts.
 */
export function intakePoints(): PointOperation {
  const messages = new PointMessages();
  return {
    ...gatewayPoints('intake', messages),
    ready: (_world, id) => messages.sign(id),
    perform: (world, id) => messages.send(world, id),
    async recover(world, id) {
      return messages.send(world, id).then(() => [], (error: unknown) => [`repeated: ${(error as Error).message}`]);
    },
  };
}

/** Carries out two accepted messages, from their batch to the note of its receipt. After a death, each is once on the chain. */
export function sendingPoints(): PointOperation {
  const messages = new PointMessages();
  return {
    // Enough time to arm the points between the answer and the batch.
    ...gatewayPoints('sending', messages, { VOUCH_BATCH_WINDOW_MS: '1000' }),
    async ready(world, id) {
      await messages.sign(id);
      await messages.send(world, id);
    },
    perform: (world, id) => messages.conclude(world, id),
  };
}

/**
 * Replaces the transaction of two messages with one of a higher fee, because the base fee has risen above its offer. After a death, one of the two is mined, and
 * each message is once on the chain.
 */
export function replacingPoints(): PointOperation {
  const messages = new PointMessages();
  return {
    // Enough time for both messages to come into one batch, because no second one is sent while the chain makes no blocks.
    ...gatewayPoints('replacing', messages, { VOUCH_BATCH_WINDOW_MS: '1000' }),
    async ready(world, id) {
      const { chain } = messages.chain;
      await messages.sign(id);
      await chain.rpc.request('evm_setIntervalMining', [0]);
      await setBaseFee(messages.chain, usualBaseFeeWei);
      await messages.send(world, id);
      await messages.reach(world, id, 'sent');
    },
    async perform(world, id) {
      const { rows: [offer] } = await world.database.query<{ wei: string }>("SELECT max(max_fee_wei) AS wei FROM gateway_attempts JOIN gateway_batches USING (batch_id) WHERE state = 'sent'");
      await setBaseFee(messages.chain, 3n * BigInt(offer?.wei ?? 0));
      await messages.conclude(world, id);
    },
  };
}

/** Carries out two messages again whose block a reorganization has removed. After a death, each is once on the chain. */
export function reorganizingPoints(): PointOperation {
  const messages = new PointMessages();
  return {
    // Enough time to stop the chain before the block is final.
    ...gatewayPoints('reorganizing', messages, { VOUCH_CONFIRMATIONS: '5' }),
    async ready(world, id) {
      await messages.sign(id);
      await messages.send(world, id);
      await messages.reach(world, id, 'mined');
      await messages.chain.chain.rpc.request('evm_setIntervalMining', [0]);
    },
    async perform(world, id) {
      const { rows: [first] } = await world.database.query<{ number: string }>("SELECT min(block_number) AS number FROM gateway_batches WHERE state = 'mined'");
      const { rpc } = messages.chain.chain;
      const head = Number(await rpc.request<string>('eth_blockNumber'));
      await rpc.request('anvil_reorg', [head - Number(first?.number) + 1, []]);
      await messages.conclude(world, id);
    },
  };
}

/** Sets the base fee of the next block, and mines it. */
async function setBaseFee({ chain }: GatewayWorld, wei: bigint): Promise<void> {
  await chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
  await chain.mine();
}
