import { readFileSync } from 'node:fs';
import type { Abi } from 'viem';
import { expect, it } from 'vitest';
import { artifacts } from './contractList.ts';
import { contractNames } from './contractNames.ts';

const page = readFileSync(new URL('../../../../docs/guides/contracts-roles.md', import.meta.url), 'utf8');

/** Returns the names in backticks below the heading of a contract. */
function namedFor(contract: string): Set<string> {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${contract}\n`)) ?? '';
  return new Set([...section.matchAll(/`(\w+)`/g)].map((match) => match[1] as string));
}

function changing(contract: (typeof contractNames)[number]): string[] {
  const functions = (artifacts[contract].abi as Abi).filter((item) => item.type === 'function' && item.stateMutability !== 'view' && item.stateMutability !== 'pure');
  return [...new Set(functions.map((item) => ('name' in item ? String(item.name) : '')))];
}

it.each(contractNames)('the page of roles names every function of %s that changes anything, and none that is not there', (contract) => {
  const named = namedFor(contract);
  expect(changing(contract).length).toBeGreaterThan(2);
  expect(changing(contract).filter((name) => !named.has(name))).toEqual([]);
  // The first column of the tables lists only functions.
  const section = page.split(/^## /m).find((text) => text.startsWith(`${contract}\n`)) ?? '';
  const listed = [...section.matchAll(/^\| (`[^|]*) \|/gm)].flatMap((match) => [...(match[1] as string).matchAll(/`(\w+)`/g)].map((name) => name[1] as string));
  expect(listed.filter((name) => !changing(contract).includes(name))).toEqual([]);
});
