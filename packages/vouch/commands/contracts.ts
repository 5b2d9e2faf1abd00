import type { Command } from 'commander';
import type { DeployOptions } from '../contracts/runDeploy.ts';
import type { UpgradePlanOptions } from '../contracts/runUpgradePlan.ts';
import type { VerifyOptions } from '../contracts/runVerify.ts';

export function addContracts(program: Command): void {
  const contracts = program.command('contracts').description('Deploy, verify and upgrade the contracts on a real chain.');
  addDeploy(contracts);
  addVerify(contracts);
  addUpgradePlan(contracts);
}

function addDeploy(contracts: Command): void {
  contracts
    .command('deploy <file>')
    .description('Plan a deployment and its cost; with --send, deploy or continue an interrupted deployment.')
    .option('--key <place>', 'keystore of the deploying account, or a key in a signing service, such as awskms:alias/deployer')
    .option('--password-file <path>', 'file whose first line is the password of the keystore; without it, the command asks for the password')
    .option('--record <path>', 'path of the record (default: <file> with .record.json instead of .toml)')
    .option('--owner-is-account', 'allow accounts without code, instead of multisigs, as owner, proposer and executor')
    .option('--send', 'send the transactions; without this option, the command sends nothing')
    .option('--json', 'print the plan or the result as JSON')
    .addHelpText(
      'after',
      `
Without --send, the command checks the file and the chain and prints every transaction with its gas, the future Ethereum addresses of
the contracts, and their owners. VOUCH_CHAIN_RPC_URL names the RPC endpoints, VOUCH_MAX_FEE_GWEI the highest fee per gas,
VOUCH_CONFIRMATIONS the blocks to wait for at the end.
The command writes each signed transaction into the record before it sends the transaction. After an interruption, run the command
again: it continues and deploys nothing twice. Do not send other transactions from the account meanwhile. Exits with 4 if a check
fails. docs/guides/contracts-deployment.md describes the file.`,
    )
    .action(async (file: string, options: DeployOptions) => {
      const { runDeploy } = await import('../contracts/runDeploy.ts');
      process.exitCode = await runDeploy(file, options);
    });
}

function addVerify(contracts: Command): void {
  contracts
    .command('verify <record>')
    .description('Compare a deployment on the chain with its record and with this version of Vouch.')
    .option('--file <path>', 'current deployment file (default: the file stored in the record)')
    .option('--standard-json <folder>', 'also write the compiler input for block explorers, one file per compiled unit')
    .option('--json', 'print the comparison as JSON')
    .addHelpText(
      'after',
      `
Compares code (without immutable values), settings, announced settings, owners, roles, the source of randomness and the references
between the contracts. Exits with 4 if anything differs.`,
    )
    .action(async (record: string, options: VerifyOptions) => {
      const { runVerify } = await import('../contracts/runVerify.ts');
      process.exitCode = await runVerify(record, options);
    });
}

function addUpgradePlan(contracts: Command): void {
  contracts
    .command('upgrade-plan <record>')
    .description('Print the calls that bring a deployment to this version and to its file.')
    .option('--file <path>', 'current deployment file (default: the file stored in the record)')
    .option('--json', 'print the plan as JSON')
    .addHelpText(
      'after',
      `
Sends nothing. Prints the calls for the owner. If a timelock owns the contracts, prints the data to schedule and to execute the calls
as one operation, and the state of that operation. If the code differs, lists what a new deployment does not take over.`,
    )
    .action(async (record: string, options: UpgradePlanOptions) => {
      const { runUpgradePlan } = await import('../contracts/runUpgradePlan.ts');
      process.exitCode = await runUpgradePlan(record, options);
    });
}
