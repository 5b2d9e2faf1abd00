import { readFile, writeFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { findBreaks, type Document, type Operation } from './harness/findBreaks.ts';
import { startVouch } from './harness/startVouch.ts';

/** Set to `yes` to write additions to the published description, or to `breaking` to write any change. */
const update = process.env['VOUCH_TEST_UPDATE_OPENAPI'];
const published = new URL('../../docs/openapi.json', import.meta.url);

let document: Document & { tags: { name: string; description: string }[] };
let operations: { place: string; operation: Operation }[];

beforeAll(async () => {
  const vouch = await startVouch();
  // Version and address differ between installations.
  const { servers: _, ...answer } = (await vouch.client.get('/openapi.json')).json<typeof document & { servers: unknown; info: { version: string } }>();
  document = { ...answer, info: { ...answer.info, version: 'x' } } as typeof document;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ place: `${method.toUpperCase()} ${path}`, operation })));
  await vouch.stop();
});

describe('the OpenAPI description', () => {
  it('gives each operation an id of its own, a summary and described tags', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id ?? ''))).toEqual([]);
    const described = document.tags.filter(({ description }) => description !== '').map(({ name }) => name);
    for (const { place, operation } of operations) {
      expect(described, place).toEqual(expect.arrayContaining(operation.tags ?? ['no tag']));
      expect(operation.summary, place).toMatch(/^[A-Z].*[^.]$/);
    }
  });

  it('has a sentence for each status, and an example of each JSON answer that its schema accepts', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'openapi', ...document });
    const lacking: string[] = [];
    for (const { place, operation } of operations) {
      for (const [status, { description, content = {} }] of Object.entries(operation.responses)) {
        expect(description, `${place} ${status}`).not.toBe('Default Response');
        const { schema, example = null } = content['application/json'] ?? {};
        if (schema === undefined || place.startsWith('GET /openapi.json') || place.includes('/v1/artifacts/')) continue;
        const reference = schema.$ref ?? schema.items?.$ref;
        const name = reference?.split('/').at(-1) ?? '';
        const [shown = example] = (document.components.schemas[name]?.['examples'] ?? []) as unknown[];
        if (shown === null) lacking.push(`${place} ${status}`);
        else expect(ajv.validate(`openapi#/components/schemas/${name}`, shown), `${name}: ${ajv.errorsText()}`).toBe(true);
      }
    }
    expect(lacking).toEqual([]);
  });

  it('lists JSON before CSV, and formats as one enum', () => {
    const related = document.paths['/v1/recommender/related_items']?.['get'];
    expect(Object.keys(related?.responses['200']?.content ?? {})).toEqual(['application/json', 'text/csv']);
    expect(related?.parameters?.find(({ name }) => name === 'output_format')?.schema).toMatchObject({ type: 'string', enum: ['csv', 'json'] });
  });

  it('has the headers of the tus protocol that uploads require and answer', () => {
    const facts = (path: string, method: string): unknown => {
      const { parameters = [], responses } = document.paths[path]?.[method] ?? { responses: {} };
      const [status, answer] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
      const sent = parameters.filter((each) => each.in === 'header').map(({ name, required = false }) => `${name}${required ? '' : '?'}`);
      return [sent, status, Object.keys((answer as { headers?: object } | undefined)?.headers ?? {})];
    };
    const state = ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires'];
    expect(facts('/v1/uploads', 'post')).toEqual([['Tus-Resumable', 'Upload-Length', 'Upload-Metadata?', 'Idempotency-Key?'], '201', ['Tus-Resumable', 'Location', 'Upload-Offset', 'Upload-Expires']]);
    expect(facts('/v1/uploads/{upload_id}', 'patch')).toEqual([['Tus-Resumable', 'Upload-Offset'], '204', state]);
    expect(facts('/v1/uploads/{upload_id}', 'head')).toEqual([['Tus-Resumable'], '200', [...state, 'Upload-Length', 'Upload-Metadata']]);
    expect(facts('/v1/uploads/{upload_id}', 'delete')).toEqual([['Tus-Resumable'], '204', ['Tus-Resumable']]);
  });

  it('is the published file, which only gains', async () => {
    const text = `${JSON.stringify(document, null, 1)}\n`;
    const before = update === 'breaking' ? null : JSON.parse(await readFile(published, 'utf8')) as Document;
    if (before !== null) expect(findBreaks(before, document), 'a change that breaks clients needs VOUCH_TEST_UPDATE_OPENAPI=breaking and a line in CHANGELOG.md').toEqual([]);
    if (update !== undefined) await writeFile(published, text);
    expect(await readFile(published, 'utf8') === text, 'docs/openapi.json is older than the routes; write it with VOUCH_TEST_UPDATE_OPENAPI=yes npx vitest run tests/e2e/openapi.test.ts').toBe(true);
  });
});

describe('the comparison of two descriptions', () => {
  const changed = (change: (copy: typeof document) => void): string[] => {
    const copy = structuredClone(document);
    change(copy);
    return findBreaks(document, copy);
  };
  const related = ({ paths }: Document): Operation => paths['/v1/recommender/related_items']!['get']!;
  const train = ({ components }: Document) => components.schemas['TrainRequest']!;
  const batch = ({ components }: Document) => components.schemas['Batch']!;

  it.each<[string, (copy: Document) => void, string]>([
    ['a route that is gone', ({ paths }) => delete paths['/v1/recommender/train'], 'POST /v1/recommender/train is gone'],
    ['another operationId', (copy) => { related(copy).operationId = 'listRelated'; }, 'another operationId'],
    ['a parameter that is gone', (copy) => { related(copy).parameters = related(copy).parameters!.filter(({ name }) => name !== 'threshold'); }, 'lost the parameter threshold'],
    ['a parameter that is now required', (copy) => { related(copy).parameters!.find(({ name }) => name === 'threshold')!.required = true; }, 'now requires the parameter threshold'],
    ['a value that is no longer accepted', (copy) => { related(copy).parameters!.find(({ name }) => name === 'output_format')!.schema.enum = ['json']; }, 'csv is no longer accepted'],
    ['a narrower bound', (copy) => { related(copy).parameters!.find(({ name }) => name === 'max_recommendations')!.schema['maximum'] = 10; }, 'maximum became 10'],
    ['a field of a body that is gone', (copy) => delete train(copy).properties!['callback_url'], '/callback_url is gone'],
    ['a field of a body that is now required', (copy) => { train(copy).required = ['model_id']; }, '/model_id is now required'],
    ['a field of an answer that is gone', (copy) => delete batch(copy).properties!['tags'], '/tags is gone'],
    ['a field of an answer that may be absent', (copy) => { batch(copy).required = []; }, '/tags is no longer always present'],
    ['a field of an answer with another type', (copy) => { batch(copy).properties!['entity_count'] = { type: 'string' }; }, 'the type string is new in the answer'],
  ])('names %s', (_name, change, sentence) => {
    expect(changed(change).join('\n')).toContain(sentence);
  });

  it('accepts additions', () => {
    expect(changed((copy) => {
      copy.paths['/v1/new'] = { get: { operationId: 'new', responses: {} } };
      related(copy).parameters!.push({ name: 'more', in: 'query', schema: { type: 'string' } });
      batch(copy).properties!['more'] = { type: 'string' };
      train(copy).properties!['more'] = { type: 'string' };
    })).toEqual([]);
  });
});
