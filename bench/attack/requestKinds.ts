import { relatedPath, type PlannedRequest } from '../serving/load.ts';

/** Kinds of requests by the work that they share with those of other organizations: the event loop, a common transaction, the connections to the database. */
export const requestKinds = {
  lists: (modelId: string, id: string): PlannedRequest => ({ path: relatedPath(modelId, id) }),
  'lists with a filter': (modelId: string, id: string): PlannedRequest => ({
    path: `${relatedPath(modelId, id)}&${new URLSearchParams({ entity_type: 'item', output_format: 'json', filter: 'item.category != "none"' })}`,
  }),
  recommend: (modelId: string, id: string): PlannedRequest => ({
    path: '/v1/recommender/recommend', body: JSON.stringify({ model_id: modelId, entity_id: id, max_recommendations: 20 }),
  }),
  events: (_modelId: string, id: string): PlannedRequest => ({
    path: '/v1/recommender/interactions', body: JSON.stringify({ interactions: [{ type: 'view', source_id: 'visitor', target_id: id }] }),
  }),
  'status of a training': (modelId: string): PlannedRequest => ({ path: `/v1/recommender/${modelId}/status` }),
} as const;

export type RequestKind = keyof typeof requestKinds;

export const kindNames = Object.keys(requestKinds) as RequestKind[];
