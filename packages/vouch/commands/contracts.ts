import type { Command } from 'commander';
import type { DeployOptions } from '../contracts/runDeploy.ts';
import type { UpgradePlanOptions } from '../contracts/runUpgradePlan.ts';
import type { VerifyOptions } from '../contracts/runVerify.ts';

export function addContracts(program: Command): void {
  const contracts = program.command('contracts').description('The contracts on a real chain: deploy, verify, plan an upgrade.');
  addDeploy(contracts);
  addVerify(contracts);
  addUpgradePlan(contracts);
}

function addDeploy(contracts: Command): void {
  contracts
    .command('deploy <file>')
    .description('Plan a deployment and what it costs; with --send, make it or continue it.')
    .option('--key <place>', 'keystore of the account that deploys, or a key in a service, such as awskms:alias/deployer')
    .option('--password-file <path>', 'file whose first line is the password of the keystore (asked otherwise)')
    .option('--record <path>', 'where the record is kept (<file> with .record.json in place of .toml)')
    .option('--owner-is-account', 'accept accounts in the place of a multisig as owner, proposer and executor')
    .option('--send', 'send the transactions; without it nothing is sent')
    .option('--json', 'print the plan or the result as JSON')
    .addHelpText(
      'after',
      `
Without --send it checks the file and the chain and prints every transaction with its gas, the addresses-to-be, and who owns what
afterwards. VOUCH_CHAIN_RPC_URL names the chain's endpoints, VOUCH_MAX_FEE_GWEI the most that is paid per gas, VOUCH_CONFIRMATIONS the
blocks to wait for at the end.
Each transaction is written into the record, signed, before it is sent. Whatever interrupts the command, run it again: it continues and
makes nothing twice. The account must send nothing else meanwhile. Exits with 4 where a check fails.
docs/guides/contracts-deployment.md says what stands in the file.`,
    )
    .action(async (file: string, options: DeployOptions) => {
      const { runDeploy } = await import('../contracts/runDeploy.ts');
      process.exitCode = await runDeploy(file, options);
    });
}

function addVerify(contracts: Command): void {
  contracts
    .command('verify <record>')
    .description('Compare a deployment on the chain with its record and with this version.')
    .option('--file <path>', 'deployment file of today; what the record keeps of it unless given')
    .option('--standard-json <folder>', 'also write the compiler input that explorers of chains take, one file for each compiled unit')
    .option('--json', 'print the comparison as JSON')
    .addHelpText(
      'after',
      `
Reads code (immutable values left out), settings, announced settings, owners, roles, the source of randomness and the contracts' references
to each other. Exits with 4 where anything differs.`,
    )
    .action(async (record: string, options: VerifyOptions) => {
      const { runVerify } = await import('../contracts/runVerify.ts');
      process.exitCode = await runVerify(record, options);
    });
}

function addUpgradePlan(contracts: Command): void {
  contracts
    .command('upgrade-plan <record>')
    .description('Say what moves a deployment to this version and to its file, with call data.')
    .option('--file <path>', 'deployment file of today; what the record keeps of it unless given')
    .option('--json', 'print the plan as JSON')
    .addHelpText(
      'after',
      `
Sends nothing. Prints the calls for the owner; where a timelock owns the contracts, the data to schedule and to execute them as one
operation, and how far that operation is. Where the code differs, it lists what a new deployment does not take over.`,
    )
    .action(async (record: string, options: UpgradePlanOptions) => {
      const { runUpgradePlan } = await import('../contracts/runUpgradePlan.ts');
      process.exitCode = await runUpgradePlan(record, options);
    });
}
