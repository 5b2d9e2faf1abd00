import { expect, it } from 'vitest';
import { AnvilMissing, findAnvil } from './findAnvil.ts';

it('takes the anvil from npm before the one in PATH, and any before none', () => {
  expect(findAnvil(() => '/npm/anvil', () => '/path/anvil')).toBe('/npm/anvil');
  expect(findAnvil(() => null, () => '/path/anvil')).toBe('/path/anvil');
});

it('says how to get one where there is none', () => {
  const find = (): string => findAnvil(() => null, () => null);
  expect(find).toThrow(AnvilMissing);
  expect(find).toThrow(/which is not available for \S+-\S+\. Run npm install .* or install Foundry/);
});
