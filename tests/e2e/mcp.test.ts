import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFixture } from '../../packages/video/engine/testing/clips/makeFixture.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface ToolResult {
  content: { text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

let vouch: RunningVouch;
let key: string;
let id = 0;

beforeAll(async () => {
  vouch = await startVouch();
  key = (await vouch.createKey()).key;
});
afterAll(() => vouch?.stop());

async function send(method: string, params: object, headers: Record<string, string> = { apikey: key }): Promise<{ result?: unknown; error?: { code: number; message: string } }> {
  id += 1;
  const answer = await fetch(`${vouch.url}/mcp`, {
    method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  });
  const message = await answer.json() as { id: number; result?: unknown; error?: { code: number; message: string } };
  expect([answer.status, message.id]).toEqual([200, id]);
  return message;
}

async function call(name: string, given: object = {}, headers?: Record<string, string>): Promise<ToolResult & { data: Record<string, unknown>; text: string }> {
  const { result, error } = await send('tools/call', { name, arguments: given }, headers);
  expect(error, `${name}: ${error?.message}`).toBeUndefined();
  const found = result as ToolResult;
  const text = found.content.map((part) => part.text).join('\n');
  return { ...found, text, data: found.isError === true || !text.startsWith('{') ? (found.structuredContent ?? {}) : JSON.parse(text) as Record<string, unknown> };
}

/** Waits as an agent does: by asking again. */
async function untilTrained(): Promise<string> {
  for (;;) {
    const { data } = await call('get_training', { model_id: 'shop' });
    if (data['status'] !== 'queued' && data['status'] !== 'running') return String(data['status']);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const items = Array.from({ length: 30 }, (_, index) => ({ id: `i${index}`, type: 'item', name: `Thing ${index}`, price: index, colour: index % 2 === 0 ? 'red' : 'blue' }));
const events = Array.from({ length: 40 }, (_, user) => [0, 1, 2, 3].map((step) => (
  { source_id: `u${user}`, target_id: `i${(user % 10) * 3 % 30 + (step % 3)}`, type: 'view', timestamp: new Date(Date.now() - (user + step) * 60_000).toISOString() }))).flat();

/** What a person does besides: sends a request of the tus protocol with a video file, which an agent cannot read. */
async function sendUpload(method: 'POST' | 'PATCH', path: string, headers: Record<string, string>, bytes?: Buffer): Promise<Response> {
  const answer = await fetch(`${vouch.url}${path}`, { method, headers: { apikey: key, 'tus-resumable': '1.0.0', ...headers }, ...(bytes === undefined ? {} : { body: new Uint8Array(bytes) }) });
  expect(answer.ok, `${method} ${path}`).toBe(true);
  return answer;
}

/** The upload that a person started, for the agent to use. */
let upload: { upload_id: string; media_url: string };

/** Tasks that an agent is given, in this order, each as a transcript of its calls with the expected end. */
const tasks: Record<string, () => Promise<void>> = {
  'find out whether there are models': async () => {
    expect((await call('list_models')).text).toContain('[]');
  },
  'add a catalogue': async () => {
    const people = Array.from({ length: 40 }, (_, user) => ({ id: `u${user}`, type: 'user', name: `User ${user}` }));
    expect((await call('add_entities', { entities: people })).isError).toBeUndefined();
    const { isError, text } = await call('add_entities', { entities: items.map(({ id: item, type, name, price, colour }) => ({ id: item, type, name, metadata: { price, colour } })) });
    expect(isError, text).toBeUndefined();
  },
  'add what users did': async () => {
    const { isError, text } = await call('add_interactions', { interactions: events });
    expect(isError, text).toBeUndefined();
  },
  'correct an event by the error': async () => {
    const wrong = await call('add_interactions', { interactions: [{ source_id: 'u1', target_id: 'i1', timestamp: '3000-01-01T00:00:00Z' }] });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toMatch(/3000/);
  },
  'train a model and wait for it': async () => {
    const { isError, text } = await call('start_training', { model_id: 'shop' });
    expect(isError, text).toBeUndefined();
    expect(await untilTrained()).toBe('completed');
  },
  'recommend for a user': async () => {
    expect((await call('related_items', { model_id: 'shop', entity_id: 'u3', source_type: 'user', max_recommendations: 5 })).text).toContain('"i');
    expect((await call('related_items', { model_id: 'shop', entity_id: ['u3', 'x,y'] })).text).toContain('"unknown_ids":["x,y"]');
  },
  'list related items and say why': async () => {
    expect((await call('related_items', { model_id: 'shop', entity_id: 'i3', explain: true, max_recommendations: 3 })).text).toContain('reasons');
  },
  'list what is trending': async () => {
    expect((await call('trending_items', { model_id: 'shop', max_recommendations: 3 })).isError).toBeUndefined();
  },
  'recommend for a visitor by a session': async () => {
    expect((await call('recommend', { model_id: 'shop', history: [{ id: 'i3' }], max_recommendations: 5 })).text).toContain('"i');
  },
  'keep a price limit': async () => {
    const { text, isError } = await call('recommend', { model_id: 'shop', history: [{ id: 'i3' }], filter: 'item.price < 10.0' });
    expect(isError, text).toBeUndefined();
  },
  'correct a misspelt column by the error': async () => {
    const wrong = await call('recommend', { model_id: 'shop', history: [{ id: 'i3' }], filter: 'item.prise < 10.0' });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain('price');
  },
  'explain why an item is not in a list': async () => {
    expect((await call('explain', { model_id: 'shop', source_id: 'u3', target_id: 'i29' })).isError).toBeUndefined();
  },
  'find similar users': async () => {
    expect((await call('similar_users', { model_id: 'shop', entity_id: 'u3' })).isError).toBeUndefined();
  },
  'find an item by its name': async () => {
    expect((await call('list_entities', { model_id: 'shop', query: 'Thing 12' })).text).toContain('i12');
  },
  'take an item out of every list': async () => {
    expect((await call('delete_entity', { id: 'i4' })).isError).toBeUndefined();
    expect((await call('related_items', { model_id: 'shop', entity_id: 'i3', max_recommendations: 29 })).text).not.toContain('"i4"');
  },
  'train every night': async () => {
    const { text, isError } = await call('put_schedule', { model_id: 'shop', cron: '0 3 * * *' });
    expect(isError, text).toBeUndefined();
    expect((await call('list_schedules')).text).toContain('0 3 * * *');
  },
  'show the versions of a model': async () => {
    expect((await call('list_versions', { model_id: 'shop' })).text).toContain('serv');
  },
  'summarize a video, and learn that its address is private': async () => {
    const wrong = await call('create_summarization', { media_url: 'http://127.0.0.1:1/film.mp4' });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain('address-refused');
    expect((await call('read_documentation', { page: 'errors/address-refused' })).text).toContain('VOUCH_ALLOW_PRIVATE_ADDRESSES');
  },
  'find the guide about filters': async () => {
    const { text } = await call('search_documentation', { words: 'filter boost' });
    const page = /guides\/filters/.exec(text)?.[0] ?? '';
    expect((await call('read_documentation', { page })).text).toContain('# ');
  },
  'show what a rule would change, without a change': async () => {
    const { data, isError, text } = await call('preview_rule', { name: 'cheap', filter: 'item.price < 10.0' });
    expect(isError, text).toBeUndefined();
    expect(data['answers']).toBeGreaterThan(0);
    expect((await call('list_rules')).text).toBe('[]');
  },
  'correct a rule by the error': async () => {
    const wrong = await call('put_rule', { name: 'cheap', filter: 'item.prise < 10.0' });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain('The nearest column is item.price');
  },
  'keep expensive items out of every list by a rule': async () => {
    const { text, isError } = await call('put_rule', { name: 'cheap', filter: 'item.price < 10.0' });
    expect(isError, text).toBeUndefined();
    await expect.poll(async () => (await call('recommend', { model_id: 'shop', history: [{ id: 'i3' }], max_recommendations: 30 })).text).toContain('"cheap"');
    const { recommendations } = (await call('recommend', { model_id: 'shop', history: [{ id: 'i3' }], max_recommendations: 30 })).data as { recommendations: { target_id: string }[] };
    expect(recommendations.filter(({ target_id: item }) => Number(item.slice(1)) >= 10)).toEqual([]);
  },
  'find out which rule keeps an item out, and delete the rule': async () => {
    const { text } = await call('explain', { model_id: 'shop', target_id: 'i20' });
    const [, name] = /"rule":"(\w+)"/.exec(text) ?? [];
    expect(name).toBe('cheap');
    expect((await call('delete_rule', { name })).isError).toBeUndefined();
    expect((await call('list_rules')).text).toBe('[]');
  },
  'start an experiment that compares a boost with the lists as they are': async () => {
    const { text, isError } = await call('put_experiment', { id: 'red-first', arms: { a: { model_id: 'shop' }, b: { model_id: 'shop', boost: 'item.colour == "red" ? 2.0 : 1.0' } }, outcome: ['view'] });
    expect(isError, text).toBeUndefined();
    await expect.poll(async () => (await call('recommend', { model_id: 'red-first', entity_id: 'u3' })).text).toContain('"experiment"');
  },
  'read the results of an experiment': async () => {
    const { data, text, isError } = await call('get_experiment_results', { id: 'red-first' });
    expect(isError, text).toBeUndefined();
    expect(data).toMatchObject({ experiment_id: 'red-first', verdict: { text: expect.stringMatching(/./) as string } });
  },
  'end an experiment': async () => {
    expect((await call('delete_experiment', { id: 'red-first' })).isError).toBeUndefined();
    expect((await call('list_experiments')).text).toBe('[]');
  },
  'summarize an upload, and learn that the file is not complete': async () => {
    const clip = await readFile(await makeFixture({ seconds: 4, cuts: [2] }));
    upload = await (await sendUpload('POST', '/v1/uploads', { 'upload-length': String(clip.length) })).json() as typeof upload;
    const early = await call('create_summarization', { media_url: upload.media_url });
    expect(early.isError).toBe(true);
    expect(early.text).toContain('upload-unfinished');
    await sendUpload('PATCH', `/v1/uploads/${upload.upload_id}`, { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }, clip);
  },
  'summarize the complete upload': async () => {
    const { data, text, isError } = await call('create_summarization', { media_url: upload.media_url, options: { duration: 2, outputs: ['mp4'] } });
    expect(isError, text).toBeUndefined();
    const runId = String(data['run_id']);
    await expect.poll(async () => (await call('get_run', { run_id: runId })).text, { timeout: 240_000 }).toContain('"kind":"mp4"');
    expect((await call('list_runs')).text).toContain(runId);
  },
  'use a key that may only read': async () => {
    const { key: reader } = await vouch.createKey({ scopes: ['recommend:read'] });
    const refused = await call('start_training', { model_id: 'shop' }, { authorization: `Bearer ${reader}` });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('missing-scope');
  },
};

describe('an agent reaches through MCP', () => {
  it.each(Object.entries(tasks))('%s', async (_name, task) => task());

  it('twenty-nine tasks', () => expect(Object.keys(tasks).length).toBe(29));
});

describe('the protocol', () => {
  it('begins with a version, lists tools with closed schemas, and needs a key only for calls', async () => {
    expect((await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }, {})).result).toMatchObject({ protocolVersion: '2025-06-18', capabilities: { tools: {} } });
    const { tools } = (await send('tools/list', {}, {})).result as { tools: { name: string; inputSchema: { type: string; additionalProperties: boolean }; annotations: { readOnlyHint: boolean } }[] };
    for (const { name, inputSchema } of tools) expect([name, inputSchema.type, inputSchema.additionalProperties]).toEqual([name, 'object', false]);
    const reading = tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
    expect(reading).toContain('related_items');
    expect(reading).not.toContain('cancel_run');
    expect(tools.map(({ name }) => name).filter((name) => /create_key|revoke|upload|send_tx/.test(name))).toEqual([]);
    expect(JSON.stringify(tools)).not.toContain('#/components');
    expect((await call('list_models', {}, {})).text).toContain('missing-key');
  });

  it('names the nearest tool and missing arguments, and answers what is no request', async () => {
    expect((await send('tools/call', { name: 'related_item' })).error).toMatchObject({ code: -32_602, message: expect.stringContaining('related_items') as string });
    expect((await send('tools/call', { name: 'related_items', arguments: {} })).error?.message).toContain('entity_id');
    for (const id of ['.', '..', '']) expect((await call('get_run', { run_id: id })).text).toContain('is a part of the URL');
    expect((await call('get_run', { run_id: '../../healthz' })).text).toContain('not');
    expect((await send('resources/list', {})).error?.code).toBe(-32_601);
    const bare = async (body: unknown): Promise<Response> => fetch(`${vouch.url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    expect(await (await bare([])).json()).toMatchObject({ error: { code: -32_600 } });
    expect((await bare({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    expect((await fetch(`${vouch.url}/mcp`)).status).toBe(405);
  });
});
