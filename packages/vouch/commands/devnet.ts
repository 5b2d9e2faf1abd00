import type { DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';

const stopMs = 60_000;
const operatorsMax = 1_000;

export function addDevnet(program: Command): void {
  const devnet = program
    .command('devnet')
    .description('Run a local chain with the contracts, to try the gateway and nodes without real money.')
    .option('--operators <number>', 'how many operators get a key and a license (5)')
    .addHelpText(
      'after',
      `
A chain is the shared ledger that verifier nodes are registered in. This one is on your machine alone: its money is worth
nothing, and nobody else sees it. The command makes it at its first start, keeps it in devnet/ of the data folder (./data), and
goes on with it at the next start; what has one confirmation survives a crash.

On it are the contracts (the service that nodes enter, the license that they need), a relayer that pays for the gateway, and
operators with a license each. Two files in the data folder, readable for you alone, say everything about it:
  devnet.json     addresses, and the keys of relayer and operators
  verifier.yaml   a configuration file for a node of the first operator
Waiting times are short there: two minutes for a report, one between changes of a commission, days of ten minutes.

To run that node: verifier -conf <data folder>/verifier.yaml (in a checkout dist/verifier/verifier), with a gateway beside it (vouch
serve --devnet). vouch devnet attest gives it something to verify.

vouch serve --devnet starts the same chain beside the server and needs no further setting. To use this one with a server of
its own, set VOUCH_CHAIN_RPC_URL, VOUCH_CHAIN_ID, VOUCH_CONTRACT_ADDRESS and VOUCH_RELAYER_KEYS from devnet.json.
Remove devnet/ and devnet.json to begin with a new chain. Ctrl-C ends the command; the chain stays.`,
    )
    .action(runDevnet);
  devnet
    .command('attest')
    .description('Report attestations on the local chain that runs, for its nodes to verify.')
    .argument('[kinds...]', 'good, unreadable, debugged or forged, each as often as it is named (good)')
    .addHelpText(
      'after',
      `
Nodes are chosen for them among those that have entered, and the command waits until all of these have voted or their time is
over. A good one deserves the vote valid, an unreadable or debugged one invalid, a forged one malicious.`,
    )
    .action(runAttest);
}

async function runAttest(kinds: readonly string[]): Promise<void> {
  const { attestOnLocalChain } = await import('../devnet/attestOnLocalChain.ts');
  const { readConfiguration } = await import('../wiring/configuration.ts');
  await attestOnLocalChain(readConfiguration(), kinds.length === 0 ? ['good'] : kinds, (text) => void process.stdout.write(`${text}\n`));
}

async function runDevnet(options: { operators?: string }): Promise<void> {
  const operators = readOperators(options.operators);
  const { readConfiguration } = await import('../wiring/configuration.ts');
  const { openLocalChain, operatorsUnlessTold } = await import('../devnet/openLocalChain.ts');
  const { describeChain } = await import('../devnet/withLocalChain.ts');
  const given = readConfiguration();
  // The tables are what this command prints; only what goes wrong is logged beside them.
  const configuration = given.log_level === 'info' ? { ...given, log_level: 'warn' as const } : given;
  const chain = await openLocalChain(configuration, operators ?? operatorsUnlessTold);
  process.stdout.write(`${describeChain(chain)}\n\n${await describeFacts(chain.facts)}\n\nA node of the first operator: ${chain.nodeFile}\n`);
  if (chain.made === 'running') return;
  const { untilStopped } = await import('../terminal/untilStopped.ts');
  untilStopped(chain.stop, stopMs);
  process.stdout.write('Ctrl-C ends it; the chain stays.\n');
  // A chain that is given up ends the command, with code 1.
  void chain.ended.then(() => {});
}

function readOperators(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > operatorsMax) {
    throw new CommandFault(exitCodes.usage, `--operators is ${JSON.stringify(text)}; it must be a number from 1 to ${operatorsMax}.`);
  }
  return number;
}

async function describeFacts({ rpcUrl, chainId, contracts, relayer, operators, domain }: DevnetFacts): Promise<string> {
  const { showAddress } = await import('@vouch/chain/messages/showAddress');
  const { formatTable } = await import('../terminal/table.ts');
  const shown = operators.slice(0, 20);
  const facts = formatTable('', ['what', 'value'], [
    ['RPC address', rpcUrl],
    ['chain id', String(chainId)],
    ['service (VOUCH_CONTRACT_ADDRESS)', showAddress(contracts.service)],
    ['license', showAddress(contracts.license)],
    ['settings', showAddress(contracts.settings)],
    ['randomness', showAddress(contracts.vrf)],
    ['Multicall3', showAddress(contracts.multicall3)],
    ['signing domain', `${domain.name} ${domain.version}`],
    ['relayer, who pays', showAddress(relayer.address)],
    ...shown.map(({ address }, place) => [`operator ${place + 1}, with a license`, showAddress(address)]),
  ]);
  return operators.length > shown.length ? `${facts}\n… and ${operators.length - shown.length} more operators` : facts;
}
