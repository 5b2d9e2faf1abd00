import { quoteIdentifier } from '@vouch/platform/http/parameters';
import type { FastifyInstance } from 'fastify';
import type { Tool } from './toolList.ts';

/** Answer of a tool: text for the model, and the same as data. */
export interface ToolResult {
  content: readonly { type: 'text'; text: string }[];
  structuredContent?: object;
  isError?: boolean;
}

const maxFaults = 5;
/** A larger answer fills the context of every model. */
const maxAnswerCharacters = 400_000;

interface Call {
  tool: Tool;
  arguments: Readonly<Record<string, unknown>>;
  /** API key of the caller; null without one. */
  key: string | null;
  /** IP address of the caller, for the limits on wrong keys. */
  address: string;
}

/**
 * Sends the request of a tool to the server's own routes, so that a tool has the same keys, scopes, checks and limits as the HTTP interface. A
 * problem is a result with `isError`, which tells the model what to change.
 */
export async function callTool(server: FastifyInstance, { tool, arguments: given, key, address }: Call): Promise<ToolResult> {
  const rest = { ...given };
  const take = (name: string): unknown => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  // A URL without these segments leads to another route.
  const [dotted] = Object.entries(rest).filter(([name, value]) => tool.path.includes(`{${name}}`) && /^(?:\.{1,2})?$/.test(String(value)));
  if (dotted !== undefined) return failure(`${dotted[0]} must not be ${JSON.stringify(dotted[1])}: it is a part of the URL.`);
  const path = tool.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(take(name) ?? '')));
  const query = new URLSearchParams(tool.choosesFormat ? { output_format: 'json' } : {});
  for (const name of tool.query) {
    const value = take(name);
    const members = Array.isArray(value) && tool.records.includes(name) ? value.map((member: unknown) => (typeof member === 'string' ? quoteIdentifier(member) : member)) : value;
    for (const each of Array.isArray(members) ? members : members === undefined || members === null ? [] : [members]) query.append(name, typeof each === 'string' ? each : JSON.stringify(each));
  }
  // An argument that the tool does not have goes where the route can name the nearest parameter.
  const body = tool.method === 'POST' || tool.method === 'PUT';
  if (!body) for (const [name, value] of Object.entries(rest)) query.append(name, String(value));
  const search = query.toString();
  const answer = await server.inject({
    method: tool.method, remoteAddress: address,
    url: search === '' ? path : `${path}?${search}`,
    headers: { host: 'localhost', accept: 'application/json', ...(key === null ? {} : { apikey: key }), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { payload: JSON.stringify(rest) } : {}),
  });
  return resultOf(answer.statusCode, answer.payload);
}

function resultOf(status: number, text: string): ToolResult {
  if (text.length > maxAnswerCharacters) return failure(`The answer has ${text.length} characters, more than ${maxAnswerCharacters}. Ask for less, for example with limit or max_recommendations.`);
  const data = shorten(parse(text));
  const structured = typeof data === 'object' && data !== null && !Array.isArray(data) ? { structuredContent: data } : {};
  return { content: [{ type: 'text', text: text === '' ? `Done (${status}).` : data === null ? text : JSON.stringify(data) }], ...structured, ...(status >= 400 ? { isError: true } : {}) };
}

/** One fault in each of a thousand rows would fill the context; the first faults show what to change. */
function shorten(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('errors' in data) || !('code' in data) || !Array.isArray(data.errors)) return data;
  return { ...data, errors: data.errors.slice(0, maxFaults) };
}

export function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
