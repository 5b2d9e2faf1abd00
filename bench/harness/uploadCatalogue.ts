import { entityPieces, interactionPieces, type CatalogueShape } from '../data/generate.ts';
import { expectStatus, type VouchClient } from './vouchClient.ts';

/** Tag of the generated batches. */
export const catalogueTag = 'bench';

/** Uploads generated entities and interactions with the tag `catalogueTag`. */
export async function uploadCatalogue(client: VouchClient, shape: CatalogueShape): Promise<void> {
  expectStatus(await client.upload([{ name: 'entities.csv', content: entityPieces(shape) }], [catalogueTag]), 201);
  expectStatus(await client.upload([{ name: 'interactions.csv', content: interactionPieces(shape) }], [catalogueTag]), 201);
}

/**
 * Trains a model of the uploaded catalogue.
 * @throws Error if the training does not complete
 */
export async function trainCatalogue(client: VouchClient, modelId: string, parameters: Record<string, unknown> = {}): Promise<void> {
  const { status, error } = await client.train(modelId, { data_tags: [catalogueTag], ...parameters });
  if (status !== 'completed') throw new Error(`the training ended with ${status}: ${error?.detail}`);
}
