import { setTimeout as sleep } from 'node:timers/promises';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { mintLicenses, reportAttestations } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { signMessage, messagePaths, type UnsignedMessage } from '@vouch/gateway/conformance/signMessage';
import { defaultBudgets } from '@vouch/gateway/budgets/budget';
import { encodeFunctionData } from 'viem';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';

/**
 * Attackers share a few licenses, which move to other keys after each turn, and send as many messages as the budgets allow, while
 * honest nodes report. Everything runs on the loopback IP address, with a separate chain and database.
 */

interface Outcome {
  sent: number;
  accepted: number;
  refusals: Map<string, number>;
}

interface Side {
  program: string;
  attackers: Outcome;
  /** Gas of the attackers' messages, from the receipts of all transactions. */
  attackersGas: number;
  reports: Outcome;
  /** Number of honest nodes' reports included in blocks. */
  reportsMined: number;
  claimers: Outcome;
  seconds: number;
}

const { values } = parseCommandLine({ options: {
  identities: { type: 'string', default: '1000' }, licenses: { type: 'string', default: '10' }, honest: { type: 'string', default: '20' },
  before: { type: 'string' },
} });
const identities = Number(values.identities);
const licenses = Number(values.licenses);
const honestNodes = Number(values.honest);
/** Number of turns between two attestations. */
const attestEvery = 5;
const nobody = `0x${'00'.repeat(20)}` as const;

const newOutcome = (): Outcome => ({ sent: 0, accepted: 0, refusals: new Map() });

async function post(vouch: ServedVouch, chain: DeployedTestChain, account: TestAccount, unsigned: UnsignedMessage, outcome: Outcome): Promise<void> {
  const answer = await fetch(`${vouch.url}/explorer_alphanet${messagePaths[unsigned.kind]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://bench.example', 'user-agent': 'bench', 'x-app-id': 'bench' },
    body: JSON.stringify(await signMessage(unsigned, chain.domain, account.privateKey)),
  });
  const { reason } = (await answer.json()) as { reason?: string };
  outcome.sent++;
  if (answer.status === 200) outcome.accepted++;
  else outcome.refusals.set(reason ?? String(answer.status), (outcome.refusals.get(reason ?? String(answer.status)) ?? 0) + 1);
}

async function chainSeconds({ rpc }: DeployedTestChain): Promise<number> {
  return Number((await rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp);
}

let claimers = 0;
const newClaimer = () => `0x${(++claimers).toString(16).padStart(40, '0')}` as const;

/**
 * Sends all messages of one key while a license backs the key: the key enters and leaves, and toggles its claimer and commission.
 */
async function toggle(vouch: ServedVouch, chain: DeployedTestChain, account: TestAccount, outcome: Outcome): Promise<void> {
  const expired_at = (await chainSeconds(chain)) + 3_600;
  const unsignedMessages: UnsignedMessage[] = [
    { kind: 'enter', replaced_node: nobody, expired_at }, { kind: 'claimer', claimer: newClaimer(), expired_at }, { kind: 'claimer', claimer: newClaimer(), expired_at },
    { kind: 'claimer', claimer: newClaimer(), expired_at }, { kind: 'commission', commission_rate: 100, expired_at }, { kind: 'exit', expired_at },
  ];
  for (const unsigned of unsignedMessages) await post(vouch, chain, account, unsigned, outcome);
}

async function moveLicenses(chain: DeployedTestChain, owner: TestAccount, tokens: readonly bigint[], to: readonly TestAccount[], first: boolean): Promise<void> {
  const functionName = first ? 'delegate' : 'redelegate';
  await sendTransactions(chain.rpc, tokens.map((token, at) => ({
    to: chain.contracts.service, gas: 900_000n,
    data: encodeFunctionData({ abi: verifierServiceAbi, functionName, args: [token, (to[at] as TestAccount).address] }),
  })), { key: owner.privateKey });
}

async function attestAndReport(vouch: ServedVouch, chain: DeployedTestChain, honest: readonly TestAccount[], text: string, outcome: Outcome): Promise<void> {
  const { attestationIds: [id], chosen } = await reportAttestations(chain.rpc, chain.contracts, [text], { key: chain.deployer.privateKey });
  // The gateway polls the newest block twice per second.
  await sleep(600);
  await Promise.all(honest.flatMap((account) => {
    const index = chosen.indexOf(account.address);
    return index < 0 || id === undefined ? [] : [post(vouch, chain, account, { kind: 'report', attestation_id: id, result: 0, index }, outcome)];
  }));
}

/** Waits until no accepted message is pending. */
async function settle(vouch: ServedVouch, chain: DeployedTestChain): Promise<void> {
  for (;;) {
    await chain.mine();
    const metrics = await (await fetch(`${vouch.url}/metrics`)).text();
    if (/^vouch_gateway_oldest_seconds 0$/m.test(metrics)) return;
    await sleep(500);
  }
}

interface Bill {
  rows: { signer: string; kind: string; messages: number; gas: number }[];
}

async function attack(name: string, program?: string): Promise<Side> {
  const chain = await startTestDeployment({ operators: honestNodes + 1, licenses: 1 });
  try {
    await chain.mine();
    const honest = chain.operators.slice(0, honestNodes);
    const owner = chain.operators[honestNodes] as TestAccount;
    const keys = Array.from({ length: identities }, (_, at) => testAccount(100_000 + at));
    await mintLicenses(chain.rpc, chain.contracts, [{ address: owner.address, count: licenses - 1 }], { key: chain.deployer.privateKey });
    const tokens = Array.from({ length: licenses }, (_, at) => BigInt(honestNodes + 1 + at));
    const enter = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnter', args: [nobody] });
    for (const { privateKey } of honest) await sendTransactions(chain.rpc, [{ to: chain.contracts.service, data: enter, gas: 500_000n }], { key: privateKey });
    const vouch = await serveVouch({
      arguments: ['--only', 'gateway'],
      ...(program === undefined ? {} : { program }),
      environment: {
        VOUCH_CHAIN_RPC_URL: chain.url, VOUCH_CHAIN_ID: String(chain.chainId), VOUCH_CONTRACT_ADDRESS: chain.contracts.service, VOUCH_RELAYER_KEYS: chain.relayer.privateKey,
        VOUCH_CONFIRMATIONS: '1', VOUCH_LOG_LEVEL: 'warn', VOUCH_RATE_LIMIT: '0', VOUCH_KEEPER: 'false',
      },
    });
    const side: Side = { program: name, attackers: newOutcome(), attackersGas: 0, reports: newOutcome(), reportsMined: 0, claimers: newOutcome(), seconds: 0 };
    try {
      const started = performance.now();
      for (let turn = 0; turn * licenses < identities; turn++) {
        const backed = keys.slice(turn * licenses, (turn + 1) * licenses);
        await moveLicenses(chain, owner, tokens.slice(0, backed.length), backed, turn === 0);
        await sleep(600);
        await Promise.all(backed.map((key) => toggle(vouch, chain, key, side.attackers)));
        if (turn % attestEvery === 0) await attestAndReport(vouch, chain, honest, `attestation of turn ${turn}`, side.reports);
        const node = honest[turn];
        if (node !== undefined) await post(vouch, chain, node, { kind: 'claimer', claimer: newClaimer(), expired_at: (await chainSeconds(chain)) + 3_600 }, side.claimers);
        if (turn % 10 === 9) console.error(`${name}: turn ${turn + 1} of ${Math.ceil(identities / licenses)}, ${side.attackers.accepted} of ${side.attackers.sent} accepted`);
      }
      await settle(vouch, chain);
      side.seconds = (performance.now() - started) / 1_000;
      const bill = (await (await fetch(`${vouch.url}/gateway/bill`, { headers: { apikey: vouch.key } })).json()) as Bill;
      const isHonest = (signer: string): boolean => honest.some(({ address }) => address === signer.toLowerCase());
      side.attackersGas = bill.rows.filter(({ signer }) => !isHonest(signer)).reduce((sum, { gas }) => sum + gas, 0);
      side.reportsMined = bill.rows.filter(({ signer, kind }) => isHonest(signer) && kind === 'report').reduce((sum, { messages }) => sum + messages, 0);
      return side;
    } finally {
      await vouch.stop();
    }
  } finally {
    await chain.stop();
  }
}

const { enter, exit, commission, claimer } = defaultBudgets.license;
const budget = licenses * (enter + exit + commission + claimer);
const sides = [...(values.before === undefined ? [] : [await attack('before budgets', values.before)]), await attack('with budgets')];
const words = ({ refusals }: Outcome): string => [...refusals].map(([reason, count]) => `${reason} ${count}`).join(', ') || 'none';
await reportTable({
  name: 'gateway-budgets',
  title: 'Keys that share a few licenses, beside honest nodes',
  command: `node --import tsx bench/gateway/budgets.ts ${process.argv.slice(2).map((word) => (word === values.before ? '<dist/vouch.js of another checkout>' : word)).join(' ')}`.trim(),
  data: `${identities} keys in turns behind ${licenses} licenses, each sending an enter, three claimers, a commission and an exit; ${honestNodes} honest nodes that report on an attestation every ${attestEvery} turns and set a claimer once`,
  columns: ['program', 'messages of the keys', 'accepted', 'refused', 'gas of the keys', `budget of ${licenses} licenses`, 'reports of honest nodes', 'accepted', 'in blocks', 'claimers of honest nodes, accepted', 'seconds'],
  rows: sides.map(({ program, attackers, attackersGas, reports, reportsMined, claimers: set, seconds }) => [
    program, attackers.sent, attackers.accepted, words(attackers), attackersGas, program === 'with budgets' ? budget : 'none',
    reports.sent, `${reports.accepted}${reports.refusals.size > 0 ? ` (${words(reports)})` : ''}`, reportsMined, `${set.accepted} of ${set.sent}`, seconds.toFixed(0),
  ]),
  notes: ['Gas is that of receipts, by GET /gateway/bill. Default budgets and quotas.'],
});
const [last] = sides.slice(-1);
const holds = last !== undefined && last.attackersGas <= budget && last.reports.accepted === last.reports.sent && last.reportsMined === last.reports.sent;
if (!holds) throw new Error('the budget does not hold, or honest reports were refused');
