import type { DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';

const stopMs = 60_000;
const maxOperators = 1_000;

export function addDevnet(program: Command): void {
  const devnet = program
    .command('devnet')
    .description('Run a local chain with the contracts, to try the gateway and nodes without real money.')
    .option('--operators <number>', 'number of operators with a key and a license (5)')
    .addHelpText(
      'after',
      `
Verifier nodes are registered in contracts on a chain. The local chain runs on this machine only, and its coins have no value. The first
start creates the chain in devnet/ of the data folder (./data); later starts continue it. Transactions with one confirmation survive
a crash.

The chain has the contracts (the service that nodes enter, and the licenses that nodes need), a relayer that pays for the gateway, and
operators with one license each. Two files in the data folder, readable only by you, describe the chain:
  devnet.json     Ethereum addresses, and the keys of relayer and operators
  verifier.yaml   a configuration file for a node of the first operator
Waiting times are short: two minutes for a report, one minute between changes of a commission, days of ten minutes.

To run that node, start a gateway (vouch serve --devnet), then verifier -conf <data folder>/verifier.yaml (in a checkout:
dist/verifier/verifier). vouch devnet attest reports attestations for the node to verify.

vouch serve --devnet starts the same chain beside the server and needs no other setting. To connect a separate server to this chain, set
VOUCH_CHAIN_RPC_URL, VOUCH_CHAIN_ID, VOUCH_CONTRACT_ADDRESS and VOUCH_RELAYER_KEYS from devnet.json. To start a new chain, delete
devnet/ and devnet.json. Ctrl-C ends the command; the chain is kept.`,
    )
    .action(runDevnet);
  devnet
    .command('attest')
    .description('Report attestations on the running local chain and print how its nodes vote.')
    .argument('[kinds...]', 'one attestation per word: good, unreadable, debugged or forged (good)')
    .addHelpText(
      'after',
      `
The contract chooses nodes from the active set. The command waits until all chosen nodes have voted or the time for reports is over. The
correct votes are valid for good, invalid for unreadable and debugged, malicious for forged.`,
    )
    .action(runAttest);
}

async function runAttest(kinds: readonly string[]): Promise<void> {
  const { attestOnLocalChain } = await import('../devnet/attestOnLocalChain.ts');
  const { readConfiguration } = await import('../wiring/configuration.ts');
  await attestOnLocalChain(readConfiguration(), kinds.length === 0 ? ['good'] : kinds, (text) => void process.stdout.write(`${text}\n`));
}

async function runDevnet(options: { operators?: string }): Promise<void> {
  const operators = parseOperators(options.operators);
  const { readConfiguration } = await import('../wiring/configuration.ts');
  const { openLocalChain, operatorsUnlessTold } = await import('../devnet/openLocalChain.ts');
  const { describeChain } = await import('../devnet/withLocalChain.ts');
  const given = readConfiguration();
  // The command prints tables; the log adds only warnings and errors.
  const configuration = given.log_level === 'info' ? { ...given, log_level: 'warn' as const } : given;
  const chain = await openLocalChain(configuration, operators ?? operatorsUnlessTold);
  process.stdout.write(`${describeChain(chain)}\n\n${await describeFacts(chain.facts)}\n\nConfiguration of a node of the first operator: ${chain.nodeFile}\n`);
  if (chain.made === 'running') return;
  const { untilStopped } = await import('../terminal/untilStopped.ts');
  untilStopped(chain.stop, stopMs);
  process.stdout.write('Ctrl-C ends the command; the chain is kept.\n');
  // If the chain is lost, `ended` rejects and the command ends with exit code 1.
  void chain.ended.then(() => {});
}

function parseOperators(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > maxOperators) {
    throw new CommandFault(exitCodes.usage, `--operators is ${JSON.stringify(text)}; it must be a number from 1 to ${maxOperators}.`);
  }
  return number;
}

async function describeFacts({ rpcUrl, chainId, contracts, relayer, operators, domain }: DevnetFacts): Promise<string> {
  const { showAddress } = await import('@vouch/chain/messages/showAddress');
  const { formatTable } = await import('../terminal/table.ts');
  const shown = operators.slice(0, 20);
  const facts = formatTable('', ['what', 'value'], [
    ['RPC URL', rpcUrl],
    ['chain id', String(chainId)],
    ['service (VOUCH_CONTRACT_ADDRESS)', showAddress(contracts.service)],
    ['license', showAddress(contracts.license)],
    ['settings', showAddress(contracts.settings)],
    ['randomness', showAddress(contracts.vrf)],
    ['Multicall3', showAddress(contracts.multicall3)],
    ['signing domain', `${domain.name} ${domain.version}`],
    ['relayer, which pays', showAddress(relayer.address)],
    ...shown.map(({ address }, place) => [`operator ${place + 1}, with a license`, showAddress(address)]),
  ]);
  return operators.length > shown.length ? `${facts}\n… and ${operators.length - shown.length} more operators` : facts;
}
