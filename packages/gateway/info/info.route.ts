import { localChainId } from '@vouch/chain/devnet/localChainId';
import type { OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { getAddress } from 'viem/utils';
import type { Platform } from '@vouch/platform/product/product';
import { GasByKind, reportTotals } from '../budgets/budgetReport.ts';
import { toHex } from '../requests/storedOperation.ts';
import { prefixOf } from '../deployments/namedDeployment.ts';
import { ofService, scopeValues, withinScope, type RowScope } from '../requests/rowScope.ts';
import type { GatewaySettings } from '../settings/gatewaySettings.ts';
import { missingChainSettings } from '../deployments/chainSettings.ts';
import type { GatewayParts, ServedDeployment } from '../parts/gatewayParts.ts';
import { messageKinds, messagePaths, prefixes } from '../intake/wire/paths.ts';
import { infoExample } from './info.example.ts';

const Relayers = Type.Array(Type.Object({
  address: Type.String(),
  status: Type.String({ description: '`running` or `paused`.' }),
  pause_code: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the key sends no new transactions: `fees`, `balance`, `chain`, `signer-unavailable` while the service that holds the key returns no signature, or `key-in-use` while the key sends for another deployment on the same chain.',
  }),
}), { description: 'The relayer keys, which pay the gas, and whether each key sends transactions.' });

const SigningDomain = Type.Object({
  name: Type.String(), version: Type.String(), chain_id: Type.Union([Type.Integer(), Type.Null()]), hash: Type.Union([Type.String(), Type.Null()]),
}, { title: 'SigningDomain', description: 'The EIP-712 domain to sign for.' });

const DeploymentSummary = Type.Object({
  name: Type.String({ description: '`default` for the deployment of this answer.' }),
  path: Type.String({ description: 'Path prefix of the deployment for messages and for its own /gateway/info; empty for the default deployment.' }),
  configured: Type.Boolean({ description: 'Whether messages are accepted.' }),
  chain_id: Type.Union([Type.Integer(), Type.Null()]),
  contract: Type.Union([Type.String(), Type.Null()]),
  domain: SigningDomain,
  relayers: Relayers,
}, { title: 'Deployment' });

const GatewayInfo = Type.Object({
  configured: Type.Boolean({ description: 'Whether messages are accepted.' }),
  missing: Type.Array(Type.String(), { description: 'Required settings that are not set.' }),
  chain: Type.Union([Type.Object({
    chain_id: Type.Integer(),
    local: Type.Boolean({ description: 'Whether the chain is a local development chain.' }),
    contract: Type.String(),
    reachable: Type.Boolean({ description: 'Whether the chain can currently be read.' }),
    block: Type.Union([Type.Integer(), Type.Null()]),
    time: Type.Union([Type.Integer(), Type.Null()], { description: 'Time of the newest block in seconds since 1970; `expired_at` is compared with this time.' }),
    isolates: Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether the contract isolates failing entries, so that one failing entry does not revert the others.' }),
  }), Type.Null()]),
  domain: SigningDomain,
  paths: Type.Array(Type.String()),
  headers: Type.String({ description: '`strict`: Origin, User-Agent and x-app-id are required. `lenient`: they are not.' }),
  limits: Type.Object({
    expires_seconds_least: Type.Integer(),
    expires_seconds_most: Type.Union([Type.Integer(), Type.Null()]),
    messages_per_signer_and_hour: Type.Integer({ description: '0: no limit.' }),
  }),
  budgets: Type.Union([Type.Object({
    ends_at: Type.String({ format: 'date-time', description: 'Start of the next UTC day, when every budget resets.' }),
    signer: GasByKind, license: GasByKind, total: GasByKind,
    left: Type.Object(GasByKind.properties, { description: 'Gas left of `total`; pending messages count with the maximum gas that they may need.' }),
  }), Type.Null()], { description: 'Gas per day and kind of message that the gateway pays: per signer, per license that backs signers, and in total. Null while unknown.' }),
  batching: Type.Object({
    window_ms: Type.Integer(), operations_most: Type.Integer(), gas_most: Type.Integer(), confirmations: Type.Integer(),
  }),
  relayers: Relayers,
  deployments: Type.Optional(Type.Array(DeploymentSummary, { description: 'Every deployment of the gateway, if it serves several.' })),
}, { title: 'GatewayInfo', examples: [infoExample] });

/** The deployment and settings that the route describes. */
export interface InfoParts {
  deployment: ServedDeployment;
  settings: Pick<GatewaySettings, 'gateway_headers'>;
  /** All deployments if the answer lists them, else empty. */
  listed: readonly ServedDeployment[];
}

/**
 * GET /gateway/info: what a client must know before signing. No API key is required; the answer contains Ethereum addresses,
 * never keys or RPC URLs.
 */
export function infoRoute(server: FastifyInstance, { deployment, settings, listed }: InfoParts, { database, clock }: Pick<Platform, 'database' | 'clock'>): void {
  server.get('/gateway/info', {
    config: { scope: null },
    schema: { operationId: 'getGatewayInfo', summary: 'Chain, domain and limits of the gateway', tags: ['gateway'], response: { 200: GatewayInfo } },
  }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    const budgets = deployment.parts === null ? null : await describeBudgets(deployment.parts, database, clock.now());
    const info = { ...(await describeDeployment(deployment, settings, database)), budgets };
    return listed.length < 2 ? info : { ...info, deployments: await Promise.all(listed.map((each) => summarize(each, database))) };
  });
}

type Described = Omit<Static<typeof GatewayInfo>, 'budgets' | 'deployments'>;

async function describeDeployment(deployment: ServedDeployment, { gateway_headers: headers }: InfoParts['settings'], database: Connection): Promise<Described> {
  const { name, settings, parts } = deployment;
  const missing = missingChainSettings(deployment);
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
    domain: describeDomain(deployment),
    paths: prefixes.flatMap((prefix) => messageKinds.map((kind) => prefixOf(name) + prefix + messagePaths[kind])),
    headers,
    limits: {
      expires_seconds_least: 60,
      expires_seconds_most: seen?.rules.maxExpiry ?? null,
      messages_per_signer_and_hour: settings.signer_quota,
    },
    batching: {
      window_ms: settings.batch_window_ms, operations_most: settings.batch_max_operations, gas_most: settings.batch_max_gas, confirmations: settings.confirmations,
    },
    relayers: await listRelayers(database, parts),
  };
}

function describeDomain({ settings, parts }: ServedDeployment): Static<typeof SigningDomain> {
  return { name: settings.domain_name, version: settings.domain_version, chain_id: settings.chain_id ?? null, hash: parts === null ? null : toHex(parts.domain) };
}

/** Summarizes a deployment without a read of the chain, which can take seconds if the chain is unreachable. */
async function summarize(deployment: ServedDeployment, database: Connection): Promise<Static<typeof DeploymentSummary>> {
  const { name, settings, parts } = deployment;
  return {
    name,
    path: prefixOf(name),
    configured: missingChainSettings(deployment).length === 0,
    chain_id: settings.chain_id ?? null,
    contract: parts === null ? null : getAddress(parts.chain.contract),
    domain: describeDomain(deployment),
    relayers: await listRelayers(database, parts),
  };
}

/** Reads the budgets; null if the database does not answer, so that the rest of the answer still works. */
async function describeBudgets({ budgets: { service, deployment } }: GatewayParts, database: Connection, now: number): Promise<Static<typeof GatewayInfo>['budgets']> {
  const report = await reportTotals(database, { service, deployment: deployment(), now }).catch(() => null);
  if (report === null) return null;
  const left = Object.fromEntries(report.total.map(({ kind, left: gas }) => [kind, gas])) as Record<OperationKind, number>;
  return { ends_at: report.ends_at, ...report.budgets, left };
}

/** Reads the chain's current state; null if the chain is unavailable. */
async function look({ chain }: GatewayParts) {
  try {
    const [deployment, head, rules] = await Promise.all([chain.deployment(), chain.reader.head(), chain.rules()]);
    return { deployment, head, rules };
  } catch {
    return null;
  }
}

/** Reads the states of the relayer keys, which must be known while the chain is unavailable too. */
async function listRelayers(database: Connection, parts: GatewayParts | null): Promise<Static<typeof Relayers>> {
  if (parts === null) return [];
  const { chain: { knownName }, budgets: { service } } = parts;
  const scope: RowScope = knownName === null ? ofService(service) : { of: knownName, except: [] };
  const { rows } = await database.query<{ relayer: Buffer; state: string; pause_code: string | null }>(
    `SELECT relayer, state, pause_code FROM gateway_lines WHERE ${withinScope('deployment', 1)} ORDER BY relayer LIMIT 100`, scopeValues(scope));
  return rows.map(({ relayer, state, pause_code }) => ({ address: getAddress(toHex(relayer)), status: state, pause_code }));
}
