import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import { RowSkipped, type ConformanceRow } from '@vouch/platform/conformance/context';
import type { Client } from './client.ts';
import { row } from './fixture.ts';

interface Parameter {
  name: string;
  schema: { type?: string; default?: unknown; minimum?: number; maximum?: number };
}

interface Description {
  paths: Record<string, { get?: { parameters: Parameter[] } }>;
}

async function parametersOf(client: Client, path: string): Promise<Map<string, Parameter['schema']>> {
  const reply = await client.get('/openapi.json');
  if (reply.status === 404) throw new RowSkipped('needs /openapi.json, which this server does not have');
  const { parameters = [] } = expectStatus(reply, 200).json<Description>().paths[path]?.get ?? {};
  return new Map(parameters.map(({ name, schema }) => [name, schema]));
}

/** Conformance rows of limits in the OpenAPI description; the rows of each route check that the routes apply the limits. */
export const limitRows: readonly ConformanceRow[] = ['related_items', 'trending_items'].flatMap((name) => [
  row('L3', `OpenAPI describes max_recommendations of ${name} as an integer with the default 100`, async ({ client }) => {
    const { type, default: fallback } = (await parametersOf(client, `/v1/recommender/${name}`)).get('max_recommendations') ?? {};
    assert.deepEqual({ type, fallback }, { type: 'integer', fallback: 100 });
  }),
  row('L4', `OpenAPI describes threshold of ${name} as a number from 0 to 1 with the default 0`, async ({ client }) => {
    const { type, default: fallback, minimum, maximum } = (await parametersOf(client, `/v1/recommender/${name}`)).get('threshold') ?? {};
    assert.deepEqual({ type, fallback, minimum, maximum }, { type: 'number', fallback: 0, minimum: 0, maximum: 1 });
  }),
]);
