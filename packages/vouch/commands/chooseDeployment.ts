import { serviceName } from '@vouch/gateway/budgets/budgetStore';
import { defaultName, listDeployments, type GatewayConfiguration } from '@vouch/gateway/deployments/namedDeployment';
import { scopeOf, type RowScope } from '@vouch/gateway/requests/rowScope';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { withRunningChain } from '../devnet/withLocalChain.ts';
import { CommandFault } from '../terminal/commandFault.ts';
import { readConfiguration } from '../wiring/configuration.ts';

/** Identifies a deployment and selects its rows in the database. */
export interface ChosenDeployment {
  /** Name of the deployment in the database, `<chain id>:<contract>`; null if no chain is configured. */
  service: string | null;
  /** Selects the rows that belong to the deployment. */
  rows: RowScope;
}

/**
 * Finds a deployment by its name in the settings. While a server with a local chain runs, the default is the deployment on that
 * local chain.
 * @throws ConfigurationError; CommandFault that lists the known deployments
 */
export async function chooseDeployment(name = defaultName): Promise<ChosenDeployment> {
  const configuration = await withRunningChain(readConfiguration) as GatewayConfiguration & Awaited<ReturnType<typeof withRunningChain>>;
  const all = listDeployments(configuration).map(({ name: each, settings: { chain_id: chainId, contract_address: contract } }) => ({
    name: each, service: chainId === undefined || contract === undefined ? null : serviceName(BigInt(chainId), contract),
  }));
  const chosen = all.find((each) => each.name === name);
  if (chosen === undefined) {
    const file = configuration.gateway_deployments;
    const source = file === undefined ? 'VOUCH_GATEWAY_DEPLOYMENTS is not set, so the only deployment is' : `The variables and ${file} have`;
    throw new CommandFault(exitCodes.usage, `--deployment is ${JSON.stringify(name)}, which is not the name of a deployment. ${source} ${all.map((each) => each.name).join(', ')}.`);
  }
  const others = all.filter((each) => each !== chosen).flatMap(({ service }) => service ?? []);
  return { service: chosen.service, rows: scopeOf(chosen.service, others, name === defaultName) };
}
