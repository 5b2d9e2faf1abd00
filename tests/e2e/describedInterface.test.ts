import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { Call, Reply } from '@vouch/platform/conformance/client';
import { resolveReferences } from '@vouch/platform/testing/resolveReferences';
import { createClient } from '../../packages/client/client.ts';
import { entitiesCsv, interactionsCsv } from '../../packages/recommender/conformance/sampleData.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface Schema {
  type?: string | string[];
  format?: string;
  pattern?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: Record<string, unknown> }> };
}

interface Fault {
  code: string;
  errors?: { location: string }[];
}

let vouch: RunningVouch;
const operations: { method: string; path: string; operation: Operation }[] = [];

beforeAll(async () => {
  vouch = await startVouch();
  const { paths } = resolveReferences((await vouch.client.get('/openapi.json')).json<{ paths: Record<string, Record<string, Operation>> }>());
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) operations.push({ method: method.toUpperCase(), path, operation });
  }
});

afterAll(() => vouch.stop());

const values: Readonly<Record<string, string>> = { model_id: 'described', source_id: 'a', target_id: 'b' };

function send(method: string, path: string, call: Call = {}): Promise<Reply> {
  return vouch.client.send(method, path.replaceAll(/\{(\w+)\}/g, 'none'), call);
}

function requiredQuery({ parameters = [] }: Operation): Record<string, string> {
  return Object.fromEntries(parameters.filter((each) => each.in === 'query' && each.required).map(({ name }) => [name, values[name] ?? '']));
}

/** Whether the response reports a fault in the form of one part of the request. */
function refuses(reply: Reply, location: string): boolean {
  if (reply.status !== 422) return false;
  const { code, errors = [] } = reply.json<Fault>();
  return ['invalid-parameter', 'unknown-parameter'].includes(code) && errors.some((fault) => fault.location.startsWith(location));
}

function jsonBody({ requestBody }: Operation) {
  return requestBody?.content['application/json'];
}

/** Returns a value in which every optional field is null, at every depth. */
function nulls(schema: Schema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !(schema.required ?? []).includes(name)).map(([name]) => [name, null]));
}

function accepts(schema: Schema, type: string): boolean {
  return [schema.type].flat().includes(type) || (schema.enum ?? []).includes(null) || (schema.anyOf ?? []).some((each) => accepts(each, type));
}

describe('the description of the interface', () => {
  it('calls a query parameter required exactly where a request without it is refused', async () => {
    const wrong: string[] = [];
    for (const { method, path, operation } of operations) {
      const query = requiredQuery(operation);
      for (const parameter of (operation.parameters ?? []).filter((each) => each.in === 'query')) {
        const { [parameter.name]: _, ...others } = query;
        const refused = refuses(await send(method, path, { query: others }), `query:${parameter.name}`);
        if (refused !== (parameter.required ?? false)) wrong.push(`${method} ${path}: ${parameter.name} is ${refused ? '' : 'not '}needed`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('calls a JSON body required exactly where a request without it is refused', async () => {
    const found = [];
    for (const { method, path, operation } of operations) {
      if (jsonBody(operation) === undefined || path.startsWith('/explorer')) continue;
      const reply = await send(method, path, { query: requiredQuery(operation) });
      // The values in the path are invented, so the server may also refuse them.
      const refused = reply.status === 422 && (reply.json<Fault>().errors ?? [{ location: '' }]).some(({ location }) => !location.startsWith('path:'));
      found.push({ path, required: operation.requestBody?.required, refused });
    }
    expect(found.map(({ path }) => path)).toEqual(expect.arrayContaining(['/v1/recommender/train', '/v1video-summarization/create']));
    expect(found.filter(({ required, refused }) => required !== refused)).toEqual([]);
  });

  it('lets each optional field of a JSON body be null, and the server takes it', async () => {
    for (const { method, path, operation } of operations) {
      const body = jsonBody(operation);
      if (body === undefined || path.startsWith('/explorer')) continue;
      for (const [name, schema] of Object.entries(body.schema.properties ?? {})) {
        const optional = !(body.schema.required ?? []).includes(name);
        expect(accepts(schema, 'null'), `${path} describes ${name}`).toBe(optional);
        const inner = [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties !== undefined);
        for (const value of optional ? [null, ...(inner === undefined || inner.required?.length ? [] : [nulls(inner)])] : [null]) {
          const reply = await send(method, path, { body: { ...body.example, [name]: value } });
          expect(refuses(reply, `/${name}`), `${path} ${name}: ${reply.text.slice(0, 300)}`).toBe(!optional);
        }
      }
    }
  });

  it('shows which form a URL has, which the server judges with sentences of its own', async () => {
    for (const [path, field] of [['/v1/recommender/train', 'callback_url'], ['/v1video-summarization/create', 'media_url'], ['/v1video-summarization/create', 'on_completed_hook']] as const) {
      const body = jsonBody(operations.find((each) => each.path === path && each.method === 'POST')?.operation ?? {});
      const { format, pattern = '' } = body?.schema.properties?.[field] ?? {};
      expect(format).toBe('uri');
      for (const value of ['film.mp4', 'ftp://example.org/film.mp4', '']) {
        expect(new RegExp(pattern).test(value)).toBe(false);
        expect((await send('POST', path, { body: { ...body?.example, [field]: value } })).status).toBe(422);
      }
      expect(new RegExp(pattern).test('HTTPS://example.org/x')).toBe(true);
    }
  });

  it('says that labels are one text or a list, and the server takes both', async () => {
    const tagged = operations.flatMap(({ method, path, operation }) => [
      ...(operation.parameters ?? []).filter(({ name }) => name === 'tags').map(({ schema }) => ({ method, path, schema })),
      ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
        Object.entries(schema.properties ?? {}).filter(([name]) => name.endsWith('tags')).map(([, property]) => ({ method, path, schema: property }))),
    ]);
    expect(tagged.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'DELETE /v1/recommender/data_batch', 'GET /v1/recommender/data_batch', 'POST /v1/recommender/data_batch', 'POST /v1/recommender/entities',
      'POST /v1/recommender/interactions', 'POST /v1/recommender/train', 'PUT /v1/recommender/schedules/{model_id}',
    ]);
    for (const { schema } of tagged) for (const type of ['string', 'array']) expect(accepts(schema, type)).toBe(true);
    for (const tags of ['a', ['a', 'b']]) {
      expect((await send('GET', '/v1/recommender/data_batch', { query: { tags } })).status).toBe(200);
      expect((await send('DELETE', '/v1/recommender/data_batch', { query: { tags } })).status).toBe(200);
      expect((await send('POST', '/v1/recommender/train', { body: { data_tags: tags } })).status).toBe(202);
    }
  });
});

describe('the client that follows the description', () => {
  exhaustiveTest('uploads, trains, recommends, and reads lists and errors', async () => {
    const { key } = await vouch.createKey();
    const client = createClient({ url: vouch.url, apiKey: key });
    const sent: number[] = [];
    const files = [{ name: 'entities.csv', content: entitiesCsv() }, { name: 'interactions.csv', content: new Blob([interactionsCsv()]) }];
    const batches = await client.uploadBatches(files, { tags: ['shop', 'spring'], onProgress: ({ sentBytes }) => sent.push(sentBytes) });
    expect(batches.map(({ tags }) => tags)).toEqual([['shop', 'spring'], ['shop', 'spring']]);
    expect(sent.at(-1)).toBeGreaterThan(1_000);
    const listed = [];
    for await (const { batch_id } of client.pages('listBatches', { limit: 1, tags: 'shop' })) listed.push(batch_id);
    expect(listed.toSorted()).toEqual(batches.map(({ batch_id }) => batch_id).toSorted());

    const { model_id } = await client.startTraining({ data_tags: ['shop'] });
    expect(await client.waitForModel(model_id)).toMatchObject({ status: 'completed', serving_version: 1 });
    const { recommendations } = await client.relatedItems({ model_id, entity_id: 'scifi-1', max_recommendations: 3 });
    expect(recommendations.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    const rows = [];
    for await (const row of client.relatedItemRows({ model_id, entity_id: 'scifi-1', max_recommendations: 3 })) rows.push(row);
    expect(rows.map(({ target_id }) => target_id)).toEqual(recommendations.map(({ target_id }) => target_id));
    await expect(client.relatedItems({ model_id: 'missing' })).rejects.toMatchObject({ name: 'VouchError', status: 404, requestId: expect.any(String) });
    await expect(client.uploadBatches([{ name: 'bad.csv', content: 'id,type,name,metadata,media_url\n,,,,\n' }])).rejects.toMatchObject({ status: 422, errors: expect.arrayContaining([expect.objectContaining({ row: 1 })]) });
  });
});
