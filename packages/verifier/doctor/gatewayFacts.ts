import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { ExchangeFault } from '../reporting/exchange.ts';
import { exchangeJson, type JsonAnswer } from '../reporting/exchangeJson.ts';
import { maxBehindSeconds, type ChainFacts } from './chainFacts.ts';
import { found, ok, type NodeFinding } from './findings.ts';
import { parseGatewayInfo, type GatewayInfo } from './gatewayInfo.ts';

/** Facts about the gateway besides its findings. */
interface GatewayFacts {
  /** The gateway's clock, milliseconds since 1970; null if unknown. */
  time: number | null;
  /** Newest block that the gateway knows of the node's chain; null if unknown, or if the gateway serves another chain. */
  block: number | null;
}

/** Facts about the chain from earlier checks. They decide whether a contradiction is the gateway's fault. */
export interface Known {
  /** False if the RPC serves another chain than the configured one; the gateway is then not reported for the difference. */
  chainId: boolean;
  /** False if no service contract exists at the configured Ethereum address. */
  contract: boolean;
  /** Domain hash of the contract; null if unknown. */
  domainHash: Hex | null;
}

const timeoutMs = 5_000;

/** Checks that the gateway answers and serves the same chain, contract and domain. */
export async function examineGateway(
  configuration: NodeConfiguration, known: Known, system: SystemInterfaces,
): Promise<{ facts: GatewayFacts; findings: NodeFinding[] }> {
  const { sending } = configuration;
  if (sending.through === 'itself') return { facts: { time: null, block: null }, findings: [ok('gateway', 'no gateway is used: the node sends and pays for its own transactions')] };
  const host = new URL(sending.url).host;
  try {
    const answer = await get(`${sending.url}/gateway/info`, system);
    const facts = { time: answer.date, block: null };
    const info = answer.status === 200 ? parseGatewayInfo(answer.body) : null;
    if (info !== null) {
      const findings = judgeInfo(host, info, configuration, known);
      const sameChain = known.chainId && findings.every(({ status }) => status === 'ok');
      return { facts: { ...facts, block: sameChain ? (info.chain?.block ?? null) : null }, findings };
    }
    if (answer.status >= 500) {
      return { facts, findings: [found('gateway', 'gateway-unreachable', `${host} answered with HTTP ${answer.status}`, 'Try again later, and inform the operator of the gateway. Messages wait until then.')] };
    }
    return { facts, findings: [await judgeOther(sending.url, host, system)] };
  } catch (error) {
    if (!(error instanceof ExchangeFault)) throw error;
    return { facts: { time: null, block: null }, findings: [found('gateway', 'gateway-unreachable', error.message, 'Check gasless_service.url, and that the gateway runs and is reachable from this machine.')] };
  }
}

/**
 * Checks that the gateway follows the chain like the RPC does. A gateway that is behind refuses messages that are valid on the chain.
 * @param block newest block that the gateway knows
 */
export async function compareHeads({ rpc, head }: ChainFacts, block: number): Promise<NodeFinding[]> {
  if (block >= head.number) return [];
  const theirs = await getBlock(rpc, block);
  const behind = theirs === null ? 0 : head.timestamp - theirs.timestamp;
  if (behind <= maxBehindSeconds) return [];
  return [found('gateway', 'gateway-behind', `the gateway is at block ${block}, ${behind} s older than block ${head.number} of the RPC endpoint`, 'Inform the operator of the gateway: it rejects reports on attestations that it does not see yet. The node sends these reports again until their deadline.')];
}

/** Checks a gateway of another make, which has no /gateway/info, with the request that every node sends before entering. */
async function judgeOther(url: string, host: string, system: SystemInterfaces): Promise<NodeFinding> {
  const { body } = await get(`${url}/explorer_alphanet/replaced_node`, system);
  const answer: Partial<Record<string, unknown>> = typeof body === 'object' && body !== null ? { ...body } : {};
  if (typeof answer['code'] === 'number' || typeof answer['error'] === 'string') return ok('gateway', `${host} answers, but does not return its chain and domain`);
  return found('gateway', 'gateway-foreign', `${host} answers, but not as a gateway does`, 'Correct gasless_service.url; the paths of the gateway are appended to this URL.');
}

function judgeInfo(host: string, info: GatewayInfo, { contract, domain }: NodeConfiguration, known: Known): NodeFinding[] {
  const { chain } = info;
  if (chain === null || !info.configured) {
    return [found('gateway', 'gateway-not-ready', `${host} has no chain configured and rejects messages`, 'Inform the operator of the gateway, or set another gateway in gasless_service.url.')];
  }
  const other = 'Set the gateway for this chain and contract in gasless_service.url, or correct this configuration.';
  if (!known.chainId) return [ok('gateway', `${host} answers`)];
  if (BigInt(chain.chainId) !== domain.chainId) return [found('gateway', 'gateway-other-chain', `${host} sends to chain ${chain.chainId}, but chain.chain_id is ${domain.chainId}`, other)];
  if (known.contract && chain.contract !== contract.service) {
    return [found('gateway', 'gateway-other-contract', `${host} sends to the contract ${showAddress(chain.contract)}, but contract.addr is ${showAddress(contract.service)}`, other)];
  }
  const { domainHash } = known;
  const differs = domainHash === null ? info.domain.name !== domain.name || info.domain.version !== domain.version : info.domain.hash !== domainHash;
  if (differs) {
    return [found('gateway', 'gateway-other-domain', `${host} accepts signatures for the domain ${info.domain.name} ${info.domain.version}, which is not the domain of ${domainHash === null ? 'this configuration' : 'the contract'}`, 'Inform the operator of the gateway, which rejects every message until then.')];
  }
  if (!chain.reachable) return [found('gateway', 'gateway-not-ready', `${host} cannot read its chain at the moment`, 'Wait, and inform the operator of the gateway if the problem persists. The node sends messages again until their deadline.')];
  const paused = info.relayers.filter(({ status }) => status === 'paused');
  if (paused.length > 0 && paused.length === info.relayers.length) {
    return [found('gateway', 'gateway-paused', `${host} sends no transactions at the moment: ${paused.length === 1 ? 'its relayer key is' : `its ${paused.length} relayer keys are`} paused`, 'Inform the operator of the gateway: waiting reports may miss their deadline.')];
  }
  return [ok('gateway', `${host} sends to the same contract for the same domain`)];
}

function get(url: string, { timers }: SystemInterfaces): Promise<JsonAnswer> {
  return exchangeJson({ url, method: 'GET', headers: { 'user-agent': 'verifier', origin: new URL(url).origin, 'x-app-id': 'verifier' }, timeoutMs }, timers);
}
