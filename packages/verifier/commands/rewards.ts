import { getBlock } from '@vouch/chain/rpc/chainReads';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { formatEther, parseEther } from 'viem/utils';
import { commissionRate as commissionType, showCommission } from '../config/commissionRate.ts';
import { ConfigurationFault, showValue } from '../config/configurationFault.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import { expectRewards, fetchTerms, type GivenTerms, type MissingTerm, type RewardTerms } from '../rewards/expectRewards.ts';
import { divisions, type DayShare } from '../rewards/shareOfDay.ts';
import { findState } from '../status/findState.ts';
import { textOf, type Call, type Command } from './command.ts';
import { configurationFlagNames, configurationFlags } from './configurationFlags.ts';
import type { FlagName } from './flags.ts';

const daysUsual = 30n;

export const rewards: Command = {
  name: 'rewards',
  summary: 'estimate the rewards of the node and its delegators for credited days, and show the formula',
  flags: [...configurationFlagNames, '-licenses', '-all-licenses', '-daily-reward', '-days', '-json'],
  async run(call) {
    const days = countOf(call, '-days') ?? daysUsual;
    const terms = await completeTerms(call, givenTerms(call));
    const expected = expectRewards(terms, days);
    call.output.write(call.given.has('-json') ? `${JSON.stringify(toJson(terms, days, expected))}\n` : describe(terms, days, expected));
    return exitCodes.done;
  },
};

function givenTerms(call: Call): GivenTerms {
  const commission = textOf(call, '-commission-rate');
  const rate = commission === undefined ? undefined : commissionType.parse(commission);
  if (commission !== undefined && rate === undefined) throw wrong('-commission-rate', commission, commissionType.range);
  return { licenses: countOf(call, '-licenses'), licensesOfAll: countOf(call, '-all-licenses'), dailyReward: tokensOf(call), commissionRate: rate === undefined ? null : BigInt(rate) };
}

function countOf(call: Call, flag: FlagName): bigint | null {
  const text = textOf(call, flag);
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw wrong(flag, text, 'a whole number from 0 to 999999999');
  return BigInt(text);
}

function tokensOf(call: Call): bigint | null {
  const text = textOf(call, '-daily-reward');
  if (text === undefined) return null;
  if (!/^\d{1,15}(?:\.\d{1,18})?$/.test(text)) throw wrong('-daily-reward', text, 'an amount of tokens with at most 18 decimals');
  return parseEther(text);
}

function wrong(flag: FlagName, text: string, range: string): ConfigurationFault {
  return new ConfigurationFault([{ where: flag, sentence: `${showValue(text)} is not ${range}.` }]);
}

/** Completes the missing terms from the chain. If all terms are given, neither a configuration nor a chain is needed. */
async function completeTerms(call: Call, given: GivenTerms): Promise<RewardTerms> {
  const { licenses, licensesOfAll, dailyReward, commissionRate } = given;
  if (licenses !== null && licensesOfAll !== null && dailyReward !== null && commissionRate !== null) {
    return whole({ division: 'by node', licenses, licensesOfAll, dailyReward, commissionRate });
  }
  const loaded = loadConfiguration(configurationFlags(call));
  const { node } = await findState(loaded, call.secrets, call.warn);
  const { chain, contract } = loaded.configuration;
  const rpc = createRpcClient({ urls: chain.rpcUrls, chainId: BigInt(chain.chainId) }, call.system);
  try {
    const head = await getBlock(rpc, 'latest');
    const terms = head === null ? 'dailyReward' : await fetchTerms(rpc, contract.service, node, head, given);
    if (typeof terms === 'string') throw new ConfigurationFault([{ where: flagOf[terms], sentence: 'The contract does not provide this value: set this flag.' }]);
    return whole(terms);
  } finally {
    await rpc.close();
  }
}

const flagOf: Readonly<Record<MissingTerm, FlagName>> = { licenses: '-licenses', licensesOfAll: '-all-licenses', dailyReward: '-daily-reward', commissionRate: '-commission-rate' };

function whole(terms: RewardTerms): RewardTerms {
  if (terms.licenses <= terms.licensesOfAll) return terms;
  throw new ConfigurationFault([{ where: '-all-licenses', sentence: `The ${terms.licensesOfAll} licenses of all nodes are fewer than the ${terms.licenses} of this node.` }]);
}

type Expected = ReturnType<typeof expectRewards>;

function toJson({ division, licenses, licensesOfAll, commissionRate, dailyReward }: RewardTerms, days: bigint, { day, all }: Expected): object {
  const shown = ({ node, delegators, perLicense }: DayShare): object => ({ node: formatEther(node), delegators: formatEther(delegators), per_license: formatEther(perLicense) });
  return {
    licenses: Number(licenses), all_licenses: Number(licensesOfAll), commission_percent: Number(commissionRate) / 100, daily_reward: formatEther(dailyReward), days: Number(days),
    division, formula: divisions[division].formula, a_day: shown(day), all_days: shown(all),
  };
}

function describe({ division, licenses, licensesOfAll, commissionRate, dailyReward }: RewardTerms, days: bigint, { day, all }: Expected): string {
  const shown = ({ node, delegators, perLicense }: DayShare): string => `${formatEther(node)} for the node, ${formatEther(delegators)} for its licenses (${formatEther(perLicense)} each)`;
  const rows: [string, string][] = [
    ['Licenses', `${licenses} of the ${licensesOfAll} licenses that share a day`],
    ['Daily reward', `${formatEther(dailyReward)} tokens`],
    ['Commission', showCommission(Number(commissionRate))],
    ['Formula', divisions[division].formula],
    ['A day', shown(day)],
    [`${days} days`, shown(all)],
  ];
  return `${rows.map(([name, text]) => `${name.padEnd(16)}${text}\n`).join('')}This is an estimate: only days that the contract credits count, and the licenses of a day are known when the day is over.\n`;
}
