import { build } from '../bytecode/build.ts';
import { interfaceOf } from './contractList.ts';
import { contractNames } from './contractNames.ts';
import { DeploymentFault } from './deploymentFault.ts';
import type { DeploymentRecord, RecordedStep } from './deploymentRecord.ts';
import type { DeploymentPlan, Step } from './planDeployment.ts';
import type { WantedDeployment } from './wantedDeployment.ts';

/**
 * Creates the record of a deployment of which nothing is sent yet.
 * @param file parsed content of the operator's file, stored for later comparisons
 */
export function startRecord(plan: DeploymentPlan, { chainId, domain }: WantedDeployment, file: Readonly<Record<string, unknown>>): DeploymentRecord {
  const made = contractNames.filter((name) => plan.contracts[name] !== null);
  return {
    state: 'unfinished', chainId, domain, deployer: plan.deployer, firstNonce: plan.firstNonce, owner: plan.owner, contracts: plan.contracts, compiler: build.compiler,
    sourceDigests: build.sourceDigests, interfaces: Object.fromEntries(made.map((name) => [name, interfaceOf(name)])), wanted: file,
    steps: plan.steps.map((step) => toRecorded(step, plan)),
  };
}

function toRecorded({ name, to, data, creates }: Step, { contracts }: DeploymentPlan): RecordedStep {
  const address = creates === null ? null : contracts[creates];
  return { name, to, data, creates: creates === null || address === null ? null : { contract: creates, address }, attempts: [], mined: null };
}

/**
 * Compares an unfinished record with the current plan.
 * @throws DeploymentFault `state` if the file or the program has changed since the deployment began, so that its rest would not match
 */
export function refuseOtherPlan(record: DeploymentRecord, plan: DeploymentPlan, path: string): void {
  const planned = plan.steps.map((step) => toRecorded(step, plan));
  const at = planned.findIndex((step, place) => !isSame(step, record.steps[place]));
  if (at === -1 && planned.length === record.steps.length) return;
  const name = planned[at]?.name ?? record.steps.at(planned.length)?.name ?? '';
  throw new DeploymentFault('state', `The deployment in ${path} was started with another file or another version of this program: the transaction ${JSON.stringify(name)} differs. `
    + 'Restore the file or the version to finish the deployment, or name another file with --record to start a new one.');
}

function isSame(planned: RecordedStep, recorded: RecordedStep | undefined): boolean {
  return recorded !== undefined && planned.name === recorded.name && planned.to === recorded.to && planned.data === recorded.data
    && planned.creates?.address === recorded.creates?.address;
}
