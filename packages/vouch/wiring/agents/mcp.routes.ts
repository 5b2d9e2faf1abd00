import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nearestName } from '@vouch/platform/config/nearestName';
import { callTool, type ToolResult } from './callTool.ts';
import { documentationTools } from './documentationTools.ts';
import { describeTool, listTools, type ApiDescription, type JsonSchema, type Tool } from './toolList.ts';

/** Versions of the protocol, newest first. Stateless requests and tools are the same in all of them. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
const instructions = 'Vouch recommends items from uploaded interactions, and summarizes videos. Start with list_models and list_runs. Data: add_entities, add_interactions; then ' +
  'start_training and get_training until it is completed; then related_items, trending_items or recommend. Rules for all lists: preview_rule shows what a rule would ' +
  'change, then put_rule. Experiments: put_experiment, then its id as model_id, and get_experiment_results at any time. Videos: create_summarization with a URL, or with ' +
  'upload:ID of a file that somebody sent to POST /v1/uploads; then get_run until it is completed. Every error has a code and says what to change; read_documentation ' +
  'with errors/CODE explains it.';

/** Error codes of JSON-RPC 2.0. */
const rpc = { invalidRequest: -32_600, unknownMethod: -32_601, invalidParams: -32_602 } as const;

class RpcFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Adds `/mcp`: the Model Context Protocol over HTTP, without sessions (specification 2025-06-18, "Streamable HTTP": each POST has one JSON answer).
 * The tools are the operations of the HTTP interface and the documentation. Listing tools needs no key; a call has the rights of the key in the
 * header `apikey`, or in `Authorization: Bearer`.
 * @param version version of the program
 */
export async function addMcp(server: FastifyInstance, version: string): Promise<void> {
  const documentation = await documentationTools();
  let tools: ReadonlyMap<string, Tool> | null = null;
  const known = (): ReadonlyMap<string, Tool> => (tools ??= new Map(listTools(server.swagger() as ApiDescription).map((tool) => [tool.name, tool])));

  // The schemas of all tools have 64 kB, and everybody may list them.
  let described: readonly JsonSchema[] | null = null;
  const describe = (): readonly JsonSchema[] => (described ??= [...[...known().values()].map(describeTool), ...[...documentation.values()].map(({ description }) => description)]);

  const call = async (request: FastifyRequest, { name, arguments: given = {} }: { name?: unknown; arguments?: unknown }): Promise<ToolResult> => {
    if (typeof name !== 'string') throw new RpcFault(rpc.invalidParams, 'tools/call needs params.name, the name of a tool of tools/list.');
    if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new RpcFault(rpc.invalidParams, 'params.arguments must be an object.');
    const page = documentation.get(name);
    if (page !== undefined) return page.call(given as Record<string, unknown>);
    const tool = known().get(name);
    if (tool === undefined) {
      const nearest = nearestName(name, [...known().keys(), ...documentation.keys()]);
      throw new RpcFault(rpc.invalidParams, `There is no tool ${name}.${nearest === null ? ' tools/list returns all tools.' : ` Did you mean ${nearest}?`}`);
    }
    const missing = tool.inputSchema.required.filter((field) => !(field in given));
    if (missing.length > 0) throw new RpcFault(rpc.invalidParams, `${name} needs ${missing.join(', ')}.`);
    return callTool(server, { tool, arguments: given as Record<string, unknown>, key: keyOf(request), address: request.ip });
  };

  const answer = async (request: FastifyRequest, method: string, params: Readonly<Record<string, unknown>>): Promise<object> => {
    switch (method) {
      case 'initialize':
        return { protocolVersion: protocolVersions.find((each) => each === params['protocolVersion']) ?? protocolVersions[1], capabilities: { tools: {} }, serverInfo: { name: 'vouch', title: 'Vouch', version }, instructions };
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: describe() };
      case 'tools/call':
        return call(request, params);
      default:
        throw new RpcFault(rpc.unknownMethod, `The method ${method} is unknown. This server has initialize, ping, tools/list and tools/call.`);
    }
  };

  server.post('/mcp', { config: { scope: null }, schema: { hide: true } }, async (request, reply) => {
    const { id, method, params } = messageOf(request.body);
    if (typeof method !== 'string') return { jsonrpc: '2.0', id: id ?? null, error: { code: rpc.invalidRequest, message: 'The body must be one JSON-RPC 2.0 request with method and id. Batches are not part of the protocol.' } };
    // Notifications have no answer, and none of them changes anything here.
    if (id === undefined) return reply.code(202).send();
    try {
      return { jsonrpc: '2.0', id, result: await answer(request, method, params) };
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
    }
  });
}

function messageOf(body: unknown): { id: unknown; method: unknown; params: Readonly<Record<string, unknown>> } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { id: undefined, method: undefined, params: {} };
  const { id, method, params } = body as Record<string, unknown>;
  return { id, method, params: typeof params === 'object' && params !== null && !Array.isArray(params) ? (params as Record<string, unknown>) : {} };
}

function keyOf({ headers }: FastifyRequest): string | null {
  if (typeof headers['apikey'] === 'string') return headers['apikey'];
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
