import type { Cost, Finding } from '@vouch/chain/contracts/deployment/checkDeployment';
import type { DeploymentRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import type { DeploymentPlan } from '@vouch/chain/contracts/deployment/planDeployment';

/** Everything known about a deployment before the first transaction is sent. */
export interface PreparedDeployment {
  path: string;
  plan: DeploymentPlan;
  record: DeploymentRecord;
  findings: readonly Finding[];
  cost: Cost | null;
}
