import type { Client } from '../../../packages/recommender/conformance/client.ts';

/** One route that requires a key, as described by the interface. */
export interface KeyRoute {
  method: string;
  path: string;
  scope: string;
  /** Whether only keys of the organization `default` are accepted. */
  operatorOnly: boolean;
  /** Whether publishable keys are accepted. */
  forPages: boolean;
  parameters: readonly string[];
}

interface Operation {
  description?: string;
  security?: object[];
  parameters?: { name: string; in: string }[];
}

/** Reads the routes that require a key from the description of the interface. */
export async function fetchKeyRoutes(client: Client): Promise<KeyRoute[]> {
  const description = (await client.get('/openapi.json')).json<{ paths: Record<string, Record<string, Operation>> }>();
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, { security = [] }]) => security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      scope: /Requires the scope `([^`]+)`/.exec(operation.description ?? '')?.[1] ?? '',
      operatorOnly: operation.description?.includes('Requires a key of the organization `default`') ?? false,
      forPages: operation.description?.includes('Publishable keys') ?? false,
      parameters: (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name),
    })));
}
