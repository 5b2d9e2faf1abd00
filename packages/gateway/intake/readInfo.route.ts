import type { OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { getAddress } from 'viem/utils';
import type { Platform } from '@vouch/platform/product/product';
import { GasByKind, reportTotals } from '../budgets/budgetReport.ts';
import { toHex } from '../requests/storedOperation.ts';
import type { GatewaySettings } from '../settings.ts';
import { missingChainSettings } from './chainSettings.ts';
import type { GatewayParts } from './gatewayParts.ts';
import { localChainId } from './localChain.ts';
import { messageKinds, messagePaths, prefixes } from './wire/paths.ts';

const GatewayInfo = Type.Object({
  configured: Type.Boolean({ description: 'Whether messages are accepted.' }),
  missing: Type.Array(Type.String(), { description: 'Settings without which they are not.' }),
  chain: Type.Union([Type.Object({
    chain_id: Type.Integer(),
    local: Type.Boolean({ description: 'A chain of this machine alone, for trying things out.' }),
    contract: Type.String(),
    reachable: Type.Boolean({ description: 'Whether the chain could be read just now.' }),
    block: Type.Union([Type.Integer(), Type.Null()]),
    time: Type.Union([Type.Integer(), Type.Null()], { description: 'Time of the chain in seconds since 1970, against which `expired_at` is judged.' }),
    isolates: Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether the contract keeps an entry that fails from undoing the others.' }),
  }), Type.Null()]),
  domain: Type.Object({
    name: Type.String(), version: Type.String(), chain_id: Type.Union([Type.Integer(), Type.Null()]), hash: Type.Union([Type.String(), Type.Null()]),
  }, { description: 'The EIP-712 domain to sign for.' }),
  paths: Type.Array(Type.String()),
  headers: Type.String({ description: '`strict`: Origin, User-Agent and x-app-id are required. `lenient`: they are not.' }),
  limits: Type.Object({
    expires_seconds_least: Type.Integer(),
    expires_seconds_most: Type.Union([Type.Integer(), Type.Null()]),
    messages_per_signer_and_hour: Type.Integer({ description: '0: no limit.' }),
  }),
  budgets: Type.Union([Type.Object({
    ends_at: Type.String({ format: 'date-time', description: 'When the next UTC day begins, and every budget with it.' }),
    signer: GasByKind, license: GasByKind, total: GasByKind,
    left: Type.Object(GasByKind.properties, { description: 'Of `total`, with messages under way counted at the most that they may need.' }),
  }), Type.Null()], { description: 'Gas per day and kind of message that the gateway pays: for a signer, for a license that backs signers, and in total. Null while it is not known.' }),
  batching: Type.Object({
    window_ms: Type.Integer(), operations_most: Type.Integer(), gas_most: Type.Integer(), confirmations: Type.Integer(),
  }),
  relayers: Type.Array(Type.Object({
    address: Type.String(),
    status: Type.String({ description: '`running` or `paused`.' }),
    pause_code: Type.Union([Type.String(), Type.Null()], {
      description: 'Why it sends nothing new: `fees`, `balance`, `chain`, or `signer-unavailable` while the service that holds its key gives no signature.',
    }),
  }), { description: 'Who pays, and whether it sends now.' }),
});

/** GET /gateway/info: what a client has to know before it signs. Open; it names addresses, never keys or endpoints. */
export function readInfoRoute(server: FastifyInstance, settings: GatewaySettings, parts: GatewayParts | null, { database, clock }: Pick<Platform, 'database' | 'clock'>): void {
  server.get('/gateway/info', {
    config: { scope: null },
    schema: { summary: 'Chain, domain and limits of the gateway', tags: ['gateway'], response: { 200: GatewayInfo } },
  }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    const budgets = parts === null ? null : await describeBudgets(parts, database, clock.now());
    return { ...(await describeGateway(settings, parts, database)), budgets };
  });
}

async function describeGateway(settings: GatewaySettings, parts: GatewayParts | null, database: Connection): Promise<Omit<Static<typeof GatewayInfo>, 'budgets'>> {
  const missing = missingChainSettings(settings);
  const chainId = settings.chain_id ?? null;
  const seen = parts === null ? null : await look(parts);
  return {
    configured: missing.length === 0,
    missing,
    chain: parts === null || chainId === null ? null : {
      chain_id: chainId,
      local: chainId === localChainId,
      contract: getAddress(parts.chain.contract),
      reachable: seen !== null,
      block: seen?.head.number ?? null,
      time: seen?.head.now ?? null,
      isolates: seen?.deployment.native ?? null,
    },
    domain: {
      name: settings.domain_name, version: settings.domain_version, chain_id: chainId, hash: parts === null ? null : toHex(parts.domain),
    },
    paths: prefixes.flatMap((prefix) => messageKinds.map((kind) => prefix + messagePaths[kind])),
    headers: settings.gateway_headers,
    limits: {
      expires_seconds_least: 60,
      expires_seconds_most: seen?.rules.maxExpiry ?? null,
      messages_per_signer_and_hour: settings.signer_quota,
    },
    batching: {
      window_ms: settings.batch_window_ms, operations_most: settings.batch_max_operations, gas_most: settings.batch_max_gas, confirmations: settings.confirmations,
    },
    relayers: seen === null ? [] : await listRelayers(database, seen.deployment.name),
  };
}

/** Null where the database does not answer; the rest can be told without it. */
async function describeBudgets({ budgets: { service, deployment } }: GatewayParts, database: Connection, now: number): Promise<Static<typeof GatewayInfo>['budgets']> {
  const report = await reportTotals(database, { service, deployment: deployment(), now }).catch(() => null);
  if (report === null) return null;
  const left = Object.fromEntries(report.total.map(({ kind, left: gas }) => [kind, gas])) as Record<OperationKind, number>;
  return { ends_at: report.ends_at, ...report.budgets, left };
}

/** What the chain says now; null where it says nothing. */
async function look({ chain }: GatewayParts) {
  try {
    const [deployment, head, rules] = await Promise.all([chain.deployment(), chain.reader.head(), chain.rules()]);
    return { deployment, head, rules };
  } catch {
    return null;
  }
}

async function listRelayers(database: Connection, deployment: string): Promise<{ address: string; status: string; pause_code: string | null }[]> {
  const { rows } = await database.query<{ relayer: Buffer; state: string; pause_code: string | null }>(
    'SELECT relayer, state, pause_code FROM gateway_lines WHERE deployment = $1 ORDER BY relayer LIMIT 100', [deployment]);
  return rows.map(({ relayer, state, pause_code }) => ({ address: getAddress(toHex(relayer)), status: state, pause_code }));
}
