import type { CommissionRules, MembershipRules, NodeRecord } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { getBalance, getNonce } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { formatEther } from 'viem/utils';
import { showCommission } from '../config/commissionRate.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import type { ServiceContract } from '../rewards/serviceContract.ts';
import { found, ok, type NodeFinding } from './findings.ts';

/** Balances above these are reported as too large: with a gateway a node's key needs none, without one it needs fees only. */
const richWei = { gateway: 10n ** 17n, itself: 2n * 10n ** 18n } as const;
/** Minimum balance: about twenty transactions of 170,000 gas at 0.3 gwei. A lower balance may be used up within a day. */
const gasWeiMin = 10n ** 15n;

/** Checks the key's balance and whether the key sent transactions before. */
export async function examineAccount(rpc: RpcClient, address: Hex, sending: NodeConfiguration['sending']): Promise<NodeFinding[]> {
  const [balance, nonce] = await Promise.all([getBalance(rpc, address), getNonce(rpc, address)]);
  const itself = sending.through === 'itself';
  const findings: NodeFinding[] = [];
  const fresh = 'Use a new key only for the node (verifier keystore new), never the key of a main account: anyone with access to this machine can get the key.';
  if (!itself && nonce > 0) findings.push(found('key', 'key-used', `${showAddress(address)} has sent ${nonce === 1 ? 'a transaction' : `${nonce} transactions`}; a node with a gateway sends none`, fresh));
  if (balance > richWei[itself ? 'itself' : 'gateway']) findings.push(found('key', 'key-rich', `${showAddress(address)} holds ${formatEther(balance)} ether`, fresh));
  if (itself && balance < gasWeiMin) {
    findings.push(found('key', 'gas-missing', `${showAddress(address)} holds ${formatEther(balance)} ether, and the node pays for its transactions itself`, `Send at least ${formatEther(gasWeiMin)} ether to this account, or use a gateway (chain.enable_gas_mode: false).`));
  }
  return findings;
}

/**
 * Checks that the node may participate, is active, and has the configured values on-chain.
 * @param chainTime timestamp of the newest block, seconds since 1970
 */
export async function examineNode(service: ServiceContract, address: Hex, configuration: NodeConfiguration, chainTime: number): Promise<NodeFinding[]> {
  const [weight, node, rules] = await Promise.all([service.weight(address), service.node(address), service.rules()]);
  const shown = showAddress(address);
  if (weight === 0) {
    return [found('node', 'no-license', `${shown} has no license, neither its own nor a delegated one`, 'Delegate a license to this Ethereum address. Without a license, the node cannot enter, and its reports do not count.')];
  }
  if (weight === null || node === null) return [ok('node', 'the contract does not return data of nodes')];
  if (!node.active) return [await judgeInactive(service, weight, rules)];
  return [...judgeMissed(node, rules), ...judgePreferences(node, configuration, rules, chainTime), ok('node', `${shown} is active, with a weight of ${weight}`)];
}

async function judgeInactive(service: ServiceContract, weight: number, rules: MembershipRules | null): Promise<NodeFinding> {
  const count = rules === null ? null : await service.activeCount();
  if (rules !== null && count !== null && count >= rules.activeNodesMax) {
    const lightest = await service.lightestWeight(count);
    if (lightest !== null && lightest >= weight) {
      return found('node', 'set-full', `the active set is full with ${count} nodes, the lightest has a weight of ${lightest}, and this node has ${weight}`, `Delegate further licenses to this node: the node needs a weight of at least ${lightest + 1}.`);
    }
  }
  return found('node', 'not-active', `the node is not in the active set; its weight of ${weight} is sufficient`, 'Start verifier, which enters the active set. If verifier already runs, see verifier status and the log for what it waits for.');
}

function judgeMissed({ missed }: NodeRecord, rules: MembershipRules | null): NodeFinding[] {
  if (missed === 0) return [];
  const limit = rules === null ? '' : `; ${rules.missedReportsMax} missed reports remove a node from the active set`;
  return [found('node', 'reports-missed', `the contract counts ${missed === 1 ? 'a missed report' : `${missed} missed reports`} of the node${limit}`, 'verifier status lists the missed reports and the reasons.')];
}

function judgePreferences(node: NodeRecord, { rewardClaimer, commissionRate }: NodeConfiguration, rules: CommissionRules | null, chainTime: number): NodeFinding[] {
  const findings: NodeFinding[] = [];
  if (rewardClaimer !== null && node.claimer !== rewardClaimer) {
    const isNone = BigInt(node.claimer) === 0n;
    findings.push(found('node', 'claimer-differs', `rewards go to ${isNone ? 'the node itself' : showAddress(node.claimer)}, but wallet.reward_claimer_addr is ${showAddress(rewardClaimer)}`, 'A running node changes the claimer; if it does not, see its log.'));
  }
  if (commissionRate !== null && node.commissionRate !== commissionRate) {
    findings.push(found('node', 'commission-differs', `the commission is ${showCommission(node.commissionRate)}, but wallet.commission_rate is ${showCommission(commissionRate)}`, whenCommission(node, commissionRate, rules, chainTime)));
  }
  return findings;
}

function whenCommission({ commissionRate: now, lastModifyAt }: NodeRecord, wanted: number, rules: CommissionRules | null, chainTime: number): string {
  if (rules === null) return 'A running node changes the commission as soon as the contract allows.';
  const next = lastModifyAt + rules.interval;
  const step = wanted - now > rules.increaseMax ? `, by at most ${showCommission(rules.increaseMax)} at once` : '';
  const when = lastModifyAt === 0 || next <= chainTime ? 'now' : `from ${new Date(next * 1_000).toISOString()}`;
  return `A running node changes the commission; the contract allows the change ${when}${step}.`;
}
