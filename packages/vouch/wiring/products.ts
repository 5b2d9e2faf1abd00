import { gateway } from '@vouch/gateway/product';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Product } from '@vouch/platform/product/product';
import { recommender } from '@vouch/recommender/product';
import { video } from '@vouch/video/product';
import { CommandFault } from '../terminal/commandFault.ts';

/** All products of the program. No other module lists them. */
export const products: readonly Product[] = [recommender, video, gateway];

/**
 * Returns the products that `--only` names.
 * @throws Error that names an unknown product
 */
export function chooseProducts(only: string | undefined): readonly Product[] {
  if (only === undefined) return products;
  const names = only.split(',').map((name) => name.trim()).filter((name) => name !== '');
  const known = products.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0 || names.length === 0) {
    const fault = names.length === 0 ? '--only is empty' : `Unknown product ${unknown.map((name) => JSON.stringify(name)).join(', ')}`;
    throw new CommandFault(exitCodes.usage, `${fault}. Available products: ${known.join(', ')}.`);
  }
  return products.filter(({ name }) => names.includes(name));
}
