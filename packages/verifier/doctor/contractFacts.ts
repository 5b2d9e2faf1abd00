import { domainHash } from '@vouch/chain/messages/digest';
import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { getCode } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { ServiceContract } from '../rewards/serviceContract.ts';
import { found, ok, type NodeFinding } from './findings.ts';

/** Facts about the service contract. */
export interface ContractFacts {
  service: ServiceContract;
  /** Null if the contract does not publish its domain hash. */
  domainHash: Hex | null;
}


/** Checks that the service contract exists and has the configured domain, and that the announcing contract exists. */
export async function examineContract(rpc: RpcClient, { contract, domain }: NodeConfiguration): Promise<{ facts: ContractFacts | null; findings: NodeFinding[] }> {
  const missing = await examineCode(rpc, contract);
  if (missing.some((each) => each.status !== 'ok' && each.code === 'contract-missing')) return { facts: null, findings: missing };
  const service = new ServiceContract(rpc, contract.service);
  if ((await service.weight(zeroAddress)) === null) {
    return { facts: null, findings: [found('contract', 'contract-foreign', `the contract at ${showAddress(contract.service)} does not return weights of nodes, so it is not a verifier service`, 'Correct contract.addr.')] };
  }
  const theirs = await service.domainHash();
  const ours: Hex = `0x${Buffer.from(domainHash(domain)).toString('hex')}`;
  const name = `${domain.name} ${domain.version}`;
  const facts = { service, domainHash: theirs };
  if (theirs !== null && theirs !== ours) {
    const wrong = found('contract', 'domain-wrong', `the contract has the domain hash ${theirs}, but ${name} on chain ${domain.chainId} results in ${ours}`,
      'Set signature.domain_name and signature.domain_version to the values that the contract was deployed with. The contract rejects every message that is signed for another domain.');
    return { facts, findings: [...missing, wrong] };
  }
  const told = theirs === null ? `does not return its domain; messages are signed for ${name}` : `has the domain ${name}`;
  return { facts, findings: [...missing, ok('contract', `the service ${showAddress(contract.service)} ${told}`)] };
}

async function examineCode(rpc: RpcClient, { service, teeEmitter }: NodeConfiguration['contract']): Promise<NodeFinding[]> {
  const isEmpty = async (address: Hex): Promise<boolean> => (await getCode(rpc, address)) === '0x';
  if (await isEmpty(service)) {
    return [found('contract', 'contract-missing', `there is no contract at contract.addr ${showAddress(service)}`, 'Correct contract.addr, or chain.rpc_url if the contract is on another chain.')];
  }
  if (teeEmitter === service || !(await isEmpty(teeEmitter))) return [];
  return [found('contract', 'emitter-missing', `there is no contract at contract.tee_addr ${showAddress(teeEmitter)}, so the node would never see an attestation`, 'Correct contract.tee_addr, or remove the key if the service contract announces attestations itself.')];
}
