import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import type { TestAccount, TestChain } from '@vouch/chain/testing/testChain';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { signOperation } from '@vouch/chain/messages/sign';
import { arrangeCalls, wrapCalls, type SignedOperation } from '@vouch/gateway/calls/arrangeCalls';
import { encodeFunctionData } from 'viem';
import { reportTable } from '../harness/reportTable.ts';
import { prepareChain, type PreparedChain, type SignedReport } from './preparedChain.ts';

/**
 * Compares the gas of operations in batches with the gas of transactions that operators send themselves, by receipts of a local
 * chain.
 */

const batchSizes = [1, 10, 50, 200];
const operators = 250;
const nobody: Hex = `0x${'00'.repeat(20)}`;
const abi = verifierServiceAbi;

async function gasOf(chain: TestChain, to: Hex, data: Hex, key: Hex): Promise<number> {
  const [receipt] = await sendTransactions(chain.rpc, [{ to, data, gas: 20_000_000n }], { key });
  return Number(receipt?.gasUsed ?? 0);
}

/** Sends one transaction of the relayer with these operations, as the gateway builds it. Returns its gas. */
async function gasOfBatch(chain: TestChain, service: Hex, operations: readonly SignedOperation[]): Promise<number> {
  const { to, calldata } = wrapCalls(arrangeCalls(operations), service, { kind: 'native' });
  return gasOf(chain, to, calldata, chain.relayer.privateKey);
}

function asOperation({ operation, account, signature }: SignedReport): SignedOperation {
  return { requestId: '', operation, digest: '0x', signer: account.address, signature };
}

/**
 * Measures reports of one attestation in one batch. Each batch size uses a separate attestation, so that no batch writes to
 * storage slots that an earlier batch has initialized.
 */
async function reportRows(chain: TestChain, { ours, reverting, reports }: PreparedChain): Promise<(string | number)[][]> {
  const perAttestation = reports.filter(({ operation }) => operation.attestationId === reports[0]?.operation.attestationId).length;
  const ofAttestation = (number: number): SignedReport[] => reports.slice(number * perAttestation, (number + 1) * perAttestation);
  const [first, second] = ofAttestation(batchSizes.length) as [SignedReport, SignedReport];
  const alone = async (service: Hex, { operation, account }: SignedReport): Promise<number> => gasOf(chain, service, encodeFunctionData({
    abi, functionName: 'nodeReportVerification', args: [operation.attestationId, operation.index, operation.result],
  }), account.privateKey);
  const revertingAlone = await alone(reverting.service, first);
  // Measures the second report: the first report of an attestation also pays for initializing storage slots.
  await alone(ours.service, first);
  const oursAlone = await alone(ours.service, second);
  const saved = (gas: number): string => change(gas, revertingAlone);
  const rows: (string | number)[][] = [
    ['report sent by the node itself, reverting service (denominator)', revertingAlone, '', '', ''],
    ['report sent by the node itself, our service', oursAlone, saved(oursAlone), '', ''],
  ];
  const each = async (service: Hex, number: number, size: number): Promise<number> =>
    await gasOfBatch(chain, service, ofAttestation(number).slice(0, size).map(asOperation)) / size;
  const revertingBatches: number[] = [];
  for (const [number, size] of batchSizes.entries()) revertingBatches.push(await each(reverting.service, number, size));
  for (const [number, size] of batchSizes.entries()) {
    const gas = await each(ours.service, number, size);
    rows.push([`report in a batch of ${size}, our service`, Math.round(gas), saved(gas), change(gas, revertingBatches[number] as number), size === 200 ? '<= 13,900' : '']);
  }
  for (const [number, size] of batchSizes.entries()) {
    const gas = revertingBatches[number] as number;
    rows.push([`report in a batch of ${size}, reverting service`, Math.round(gas), saved(gas), '', '']);
  }
  return rows;
}

function change(gas: number, from: number): string {
  const percent = 100 * (gas / from - 1);
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}

type Rare = Exclude<Operation['kind'], 'report'>;
/** Every operator can perform the operations in this order. */
const rareKinds: readonly Rare[] = ['commission', 'claimer', 'exit', 'enter'];

function rareOperation(kind: Rare, expiredAt: bigint, claimer: Hex): Exclude<Operation, { kind: 'report' }> {
  switch (kind) {
    case 'commission': return { kind, commissionRate: 300, expiredAt };
    case 'claimer': return { kind, claimer, expiredAt };
    case 'exit': return { kind, expiredAt };
    case 'enter': return { kind, replacedNode: nobody, expiredAt };
  }
}

function ownCall(operation: Exclude<Operation, { kind: 'report' }>): Hex {
  switch (operation.kind) {
    case 'commission': return encodeFunctionData({ abi, functionName: 'nodeModifyCommissionRate', args: [operation.commissionRate] });
    case 'claimer': return encodeFunctionData({ abi, functionName: 'nodeSetRewardClaimer', args: [operation.claimer] });
    case 'exit': return encodeFunctionData({ abi, functionName: 'nodeExit' });
    case 'enter': return encodeFunctionData({ abi, functionName: 'nodeEnter', args: [operation.replacedNode] });
  }
}

/** Measures the four rare operations: sent by the signer, relayed one by one, and in a batch of 50 signers. */
async function rareRows(chain: TestChain, prepared: PreparedChain, accounts: readonly TestAccount[]): Promise<(string | number)[][]> {
  const { ours, reverting } = prepared;
  const head = await chain.rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
  const expiredAt = BigInt(head.timestamp) + 3_600n;
  const signed = async (account: TestAccount, kind: Rare): Promise<SignedOperation> => {
    const operation = rareOperation(kind, expiredAt, accounts[0]?.address ?? nobody);
    return { requestId: '', operation, digest: '0x', signer: account.address, signature: await signOperation(operation, chain.domain, account.privateKey) };
  };
  const [self, single, ...crowd] = accounts.slice(1, 53) as [TestAccount, TestAccount, ...TestAccount[]];
  const rows: (string | number)[][] = [];
  for (const kind of rareKinds) {
    const data = ownCall(rareOperation(kind, expiredAt, accounts[0]?.address ?? nobody));
    const revertingAlone = await gasOf(chain, reverting.service, data, self.privateKey);
    const oursAlone = await gasOf(chain, ours.service, data, self.privateKey);
    const relayed = await gasOfBatch(chain, ours.service, [await signed(single, kind)]);
    const batch = await gasOfBatch(chain, ours.service, await Promise.all(crowd.map((account) => signed(account, kind)))) / crowd.length;
    const saved = (gas: number): string => change(gas, revertingAlone);
    rows.push(
      [`${kind} sent by the signer itself, reverting service`, revertingAlone, '', '', ''],
      [`${kind} sent by the signer itself, our service`, oursAlone, saved(oursAlone), '', ''],
      [`${kind} relayed alone, our service`, relayed, saved(relayed), '', ''],
      [`${kind} in a batch of ${crowd.length}, our service`, Math.round(batch), saved(batch), '', ''],
    );
  }
  return rows;
}

const prepared = await prepareChain({ operators, attestations: batchSizes.length + 1, say: (step) => console.error(step) });
try {
  const chain = await prepared.start();
  try {
    const accounts = [...new Map(prepared.reports.map(({ account }) => [account.address, account])).values()];
    const rows = [...await reportRows(chain, prepared), ...await rareRows(chain, prepared, accounts)];
    await reportTable({
      name: 'gateway-gas',
      title: 'Gas of operations, relayed and sent by the operators themselves',
      command: 'node --import tsx bench/gateway/gas.ts',
      data: `${operators} operators, 200 chosen for each attestation; receipts of anvil`,
      columns: ['what', 'gas each', 'against the reverting service, sent alone', 'against the reverting service, in the same batch', 'goal'],
      rows,
      notes: [
        'The reverting service is that of the tests: it behaves as the contracts do that are in use, which revert a whole batch for one bad entry. ' +
          'Gas is that of whole transactions divided by their operations, calldata and the 21,000 of each transaction included. ' +
          'Rare operations cost more through the gateway than sent alone, since a signature is checked and its digest is kept; what the operator pays is nothing. ' +
          'Each exit is followed by the return of the same node, so the row of enter is that of a return, not of a first time.',
      ],
    });
  } finally {
    await chain.stop();
  }
} finally {
  await prepared.remove();
}
