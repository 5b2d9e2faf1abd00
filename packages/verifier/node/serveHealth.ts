import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { messageOf } from '../logging/messageOf.ts';
import { isEnded } from '../state/nodeState.ts';
import type { NodeParts } from '../context/nodeParts.ts';

/** Time without an answer of the chain after which the node is unhealthy. */
const staleMs = 120_000;
const maxConnections = 16;

/** Serves /health and /metrics on the loopback interface when node.health_listen is set. */
export async function serveHealth(parts: NodeParts): Promise<{ close(): Promise<void> } | null> {
  const listen = parts.configuration.node.healthListen;
  if (listen === null) return null;
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const known = request.method === 'GET' && (path === '/health' || path === '/metrics');
    const health = describeHealth(parts);
    const [status, type, text] = !known ? [404, 'text/plain', 'GET /health and GET /metrics are served here.\n'] as const
      : path === '/health' ? [health.healthy ? 200 : 503, 'application/json', `${JSON.stringify(health)}\n`] as const
        : [200, 'text/plain; version=0.0.4', describeMetrics(parts)] as const;
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  });
  keepNewest(server);
  server.listen(listen.port, listen.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    parts.log.error({ fault: messageOf(error) }, `node.health_listen: the health endpoint cannot listen at ${listen.host}, port ${listen.port}. The node runs without it.`);
    return null;
  }
  return {
    close: () => new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    }),
  };
}

/** Bounds open connections by closing the oldest one, so that idle connections do not lock out requests. */
function keepNewest(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > maxConnections) oldest?.destroy();
  });
}

interface Health {
  healthy: boolean;
  node: string;
  chain: string;
  active: boolean;
  block: number;
  /** ISO 8601; null before the chain answered. */
  chainSeenAt: string | null;
  open: number;
  alarms: readonly { alarm: string; sentence: string }[];
}

/** A node is healthy when the chain answers and no alarm is active. */
function describeHealth({ record, alarms, system, node, configuration }: NodeParts): Health {
  const { chainSeenAt } = record;
  const fresh = chainSeenAt !== null && system.clock.now() - chainSeenAt < staleMs;
  return {
    healthy: fresh && alarms.standing.length === 0, node, chain: configuration.chain.chainName, active: record.membership.active, block: record.last.block,
    chainSeenAt: chainSeenAt === null ? null : new Date(chainSeenAt).toISOString(), open: [...record.all()].filter((each) => !isEnded(each)).length,
    alarms: alarms.standing.map(({ code, sentence }) => ({ alarm: code, sentence })),
  };
}

function describeMetrics({ record, alarms, rpc, time, collateral }: NodeParts): string {
  const { counts, membership, online } = record;
  const metrics: [name: string, type: 'counter' | 'gauge', help: string, value: number][] = [
    ['verifier_active', 'gauge', 'Whether the node is in the active set', membership.active ? 1 : 0],
    ['verifier_weight', 'gauge', 'Number of licenses that count for the node', membership.weight ?? 0],
    ['verifier_block', 'gauge', 'The last processed block', record.last.block],
    ['verifier_head', 'gauge', 'The newest known block', time.head?.number ?? 0],
    ['verifier_clock_skew_seconds', 'gauge', 'How far this machine\'s clock is ahead of the chain', time.skew],
    ['verifier_online_seconds_today', 'gauge', 'Seconds of the current UTC day in which the node was active and the chain answered', Math.floor(online.at(-1)?.seconds ?? 0)],
    ['verifier_day_credited', 'gauge', 'Whether the contract has credited its current day to the node (-1: unknown)', record.day === null || record.day.creditedWeight === null ? -1 : Math.sign(record.day.creditedWeight)],
    ['verifier_days_credited_total', 'counter', 'Days that the contract credited to the node', counts.daysCredited],
    ['verifier_days_lost_total', 'counter', 'Days that ended without credit although the node was active long enough', counts.daysLost],
    ['verifier_standby', 'gauge', 'Whether this node stands by because another program uses the same key', record.standby === null ? 0 : 1],
    ['verifier_alarms', 'gauge', 'Number of active alarms', alarms.standing.length],
    ['verifier_attestations_announced_total', 'counter', 'Announced attestations', counts.announced],
    ['verifier_attestations_chosen_total', 'counter', 'Attestations for which this node was chosen', counts.chosen],
    ['verifier_reports_total', 'counter', 'Reports on the chain', counts.reported],
    ['verifier_reports_missed_total', 'counter', 'Reports that missed their deadline', counts.missed],
    ['verifier_reports_withheld_total', 'counter', 'Reports that were impossible because collateral was missing', counts.notVoted],
    ['verifier_collateral_complete', 'gauge', 'Whether the collateral is complete for all known platforms', collateral.complete === true ? 1 : 0],
    ['verifier_collateral_valid_until_seconds', 'gauge', 'When the first part of the collateral expires, in seconds since 1970; 0 if no part is valid', seconds(collateral.validUntil)],
    ['verifier_collateral_updated_seconds', 'gauge', 'When collateral was last fetched without a failure, in seconds since 1970; 0 if not since the start', seconds(collateral.updatedAt)],
    ['verifier_collateral_update_failures_total', 'counter', 'Failed updates of collateral', collateral.failures],
    ['verifier_rpc_requests_total', 'counter', 'Requests to RPC endpoints', rpc.endpoints().reduce((sum, { requests }) => sum + requests, 0)],
  ];
  return metrics.map(([name, type, help, value]) => `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n${name} ${value}\n`).join('');
}

function seconds(milliseconds: number | null): number {
  return milliseconds === null ? 0 : Math.floor(milliseconds / 1_000);
}
