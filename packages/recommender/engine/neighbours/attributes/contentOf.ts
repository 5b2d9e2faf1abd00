import { attributeLift } from './attributeLift.ts';
import { contentVectors, type ContentVectors } from './contentVectors.ts';
import { readAttributes } from './readAttributes.ts';
import type { Interactions } from '../../matrix/interactions.ts';
import type { TrainingData } from '../../data/trainingData.ts';

/**
 * Reads the metadata of the items, and weighs them by given interactions.
 * @param interactions interactions of the same items, which may be a part of all interactions
 * @returns null without metadata
 */
export function contentOf(nodes: TrainingData['nodes'], itemNode: Int32Array, interactions: Interactions): ContentVectors | null {
  const attributes = readAttributes(nodes, itemNode);
  return attributes.field.length === 0 ? null : contentVectors(attributes.rows, attributeLift(attributes, interactions));
}
