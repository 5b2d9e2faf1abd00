import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { getAbiItem, toEventSelector } from 'viem';
import { expect, it } from 'vitest';
import { eventTopics } from './nodeConfiguration.ts';

it('knows the events of the contract by their hashes', () => {
  const topicOf = (name: 'TeeReportAttestations' | 'ConfirmVrfNodes' | 'NodeClear'): string => toEventSelector(getAbiItem({ abi: verifierServiceAbi, name }));
  expect(eventTopics).toEqual({ topic1: topicOf('TeeReportAttestations'), topic2: topicOf('ConfirmVrfNodes'), topic3: topicOf('NodeClear') });
});
