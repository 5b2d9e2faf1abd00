import { computeAls, usualAls } from './alsMatrix.ts';
import { computeRidge, type ItemMatrix } from './ridgeMatrix.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';

/**
 * What a setting adds to the operator between the most used items: the ridge and alternating least squares, each with its weight; null for a setting without
 * both.
 * @param factors factors of the same interactions
 * @throws Error if the interactions have no workspace, which `workspaceFor` gives to settings with all pairs
 */
export function regressionOf(
  { ridge = 0, lambda = 0, als = 0, confidence = usualAls.confidence }: Pick<OperatorSetting, 'ridge' | 'lambda' | 'als' | 'confidence'>, interactions: Interactions, factors: Factors,
): ItemMatrix | null {
  if (ridge === 0 && als === 0) return null;
  const { workspace } = interactions;
  if (workspace === null) throw new Error('a setting with a ridge or als needs all pairs');
  const memory = { ...interactions, workspace };
  const first = ridge === 0 ? null : computeRidge(memory, lambda);
  if (first !== null) multiply(first.values, ridge);
  if (als === 0) return first;
  const mark = workspace.mark();
  const second = computeAls(memory, factors, { ...usualAls, confidence });
  multiply(second.values, als);
  if (first === null) return second;
  const { values } = first;
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) + (second.values[at] as number);
  workspace.release(mark);
  return first;
}

function multiply(values: Float32Array, factor: number): void {
  for (let at = 0; at < values.length; at++) values[at] = factor * (values[at] as number);
}
