import { createClient, type Client } from '@vouch/client/client';
import { VouchError } from '@vouch/client/problem';
import { metadataOf, products, type Product } from './products.ts';
import { exportCsv } from './sales.ts';
import type { Visit } from './visitors.ts';

const modelId = 'shop';
const tags = 'shop';
/** Number of products of a list. */
const shown = 6;

/** A recommended product, and the reasons as sentences. */
export interface Suggestion {
  id: string;
  reasons: readonly string[];
}

/** What the shop asks of Vouch. A page never waits for long: without an answer, it has no suggestions. */
export interface Recommendations {
  /** Uploads catalogue and sales, and trains the model, unless the server has the model. */
  prepare(): Promise<void>;
  /** Suggestions for a visitor: for what the visitor did, or else trending products. */
  forVisitor(visits: readonly Visit[], maxPrice?: number): Promise<Suggestion[]>;
  relatedTo(product: Product): Promise<Suggestion[]>;
  /** Sends an event. Resolves when Vouch has stored the event, or when the failure is logged. */
  record(visitor: string, visit: Visit): Promise<void>;
  /** Removes a product from all lists, or returns it. @throws VouchError */
  setStock(product: Product, available: boolean): Promise<void>;
}

/** @param url of the Vouch server */
export function connectRecommendations(url: string, apiKey: string): Recommendations {
  const vouch = createClient({ url, apiKey });
  const impatient = createClient({ url, apiKey, retries: 0, timeoutMs: 2_000 });

  const entityOf = (product: Product, available: boolean) => ({ id: product.id, type: 'product', name: product.name, metadata: metadataOf(product), available });

  return {
    async prepare() {
      if (await hasModel(vouch)) {
        // What was out of stock before the last restart.
        await vouch.addEntities({ entities: products.map((product) => entityOf(product, true)), tags });
        return;
      }
      const { entitiesCsv, interactionsCsv } = exportCsv(Date.now());
      await vouch.uploadBatches([
        { name: 'products.csv', content: new Blob([entitiesCsv]) },
        { name: 'sales.csv', content: new Blob([interactionsCsv]) },
      ], { tags: [tags] });
      await vouch.startTraining({ model_id: modelId, data_tags: tags });
      await vouch.waitForModel(modelId, { onProgress: ({ stage, progress }) => console.log(`training: ${stage ?? 'queued'} ${Math.round(progress * 100)} %`) });
    },

    forVisitor: (visits, maxPrice) => orNone(impatient.recommend({
      model_id: modelId, explain: true, max_recommendations: shown, entity_type: ['product'],
      // Without a history, the list has trending products.
      ...(visits.length === 0 ? {} : { history: visits.map(({ id, type }) => ({ id, type })) }),
      ...(maxPrice === undefined ? {} : { filter: `item.price <= ${maxPrice}` }),
    })),

    relatedTo: (product) => orNone(impatient.relatedItems({ model_id: modelId, entity_id: product.id, max_recommendations: shown })),

    async record(visitor, { id, type }) {
      try {
        await vouch.addInteractions({ interactions: [{ id: crypto.randomUUID(), type, source_id: `visitor-${visitor}`, target_id: id }], tags });
      } catch (error) {
        console.error(`The event was lost: ${(error as Error).message}`);
      }
    },

    async setStock(product, available) {
      await vouch.addEntities({ entities: [entityOf(product, available)], tags });
    },
  };
}

async function hasModel(vouch: Client): Promise<boolean> {
  try {
    return (await vouch.getTraining({ model_id: modelId })).serving_version !== null;
  } catch (error) {
    if (error instanceof VouchError && error.code === 'unknown-model') return false;
    throw error;
  }
}

async function orNone(asked: ReturnType<Client['recommend']>): Promise<Suggestion[]> {
  try {
    const { recommendations } = await asked;
    return recommendations.map(({ target_id: id, reasons }) => ({ id, reasons: reasons.map(({ text }) => text) }));
  } catch (error) {
    console.error(`The page has no suggestions: ${(error as Error).message}`);
    return [];
  }
}
