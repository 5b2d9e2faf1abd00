import assert from 'node:assert/strict';
import { fetchWhole } from '@vouch/platform/outbound/fetchWhole';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { row } from './fixture.ts';

const section = 'Limits';

interface Parameter {
  name: string;
  schema: { type?: string; default?: unknown; minimum?: number; maximum?: number };
}

interface Description {
  paths: Record<string, { get?: { parameters: Parameter[] } }>;
}

async function parametersOf(baseUrl: string, path: string): Promise<Map<string, Parameter['schema']>> {
  const { paths } = (await (await fetchWhole(`${baseUrl}/openapi.json`)).json()) as Description;
  const { parameters = [] } = paths[path]?.get ?? {};
  return new Map(parameters.map(({ name, schema }) => [name, schema]));
}

/** Limits, as the interface describes them; that they are kept is shown by the rows of each route. */
export const limitRows: readonly ConformanceRow[] = ['related_items', 'trending_items'].flatMap((name) => [
  row(section, `${name}: max_recommendations is described with its default of 100`, async ({ context }) => {
    const parameters = await parametersOf(context.baseUrl, `/v1/recommender/${name}`);
    assert.equal(parameters.get('max_recommendations')?.type, 'integer');
    assert.equal(parameters.get('max_recommendations')?.default, 100);
  }),
  row(section, `${name}: threshold is described with its range from 0 to 1 and its default of 0`, async ({ context }) => {
    const parameters = await parametersOf(context.baseUrl, `/v1/recommender/${name}`);
    const { type, default: fallback, minimum, maximum } = parameters.get('threshold') ?? {};
    assert.deepEqual({ type, fallback, minimum, maximum }, { type: 'number', fallback: 0, minimum: 0, maximum: 1 });
  }),
]);
