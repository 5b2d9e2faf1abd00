import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { Database } from '../database/database.ts';
import type { OutboundHttp } from '../outbound/outbound.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { underAny } from '../process/underAny.ts';
import { beginSpan, bindingsOf, failSpan, noTracer, traceparentOf } from '../tracing/spans.ts';
import { deliver } from './deliver.ts';
import { claimDelivery, listDueHosts, listDueOrganizations, recordAttempt, removeEnded, webhookChannel, type ClaimedDelivery } from './deliveryStore.ts';
import { Turns } from './turns.ts';
import { signingSecrets } from './webhookSecrets.ts';

/** Upper bound for open attempts in one process. */
const concurrency = 16;
/** Upper bound for open attempts to one host, so that a receiver that hangs cannot occupy all attempts. */
const perHost = 2;
/** Upper bound for open attempts of one organization, which may use many hosts. */
const perOrganization = 6;
/** Attempts left for organizations without an open attempt, so that a few whose receivers hang do not take all. */
const reserved = 4;
/** Interval in ms at which the sender checks for due deliveries without a notification. */
const pollMs = 2_000;
/** Time in ms for which ended deliveries and their attempts are kept: 30 days. */
const retentionMs = 30 * 24 * 3_600_000;
const sweepMs = 3_600_000;

export interface SenderParts {
  database: Database;
  outbound: OutboundHttp;
  system: SystemInterfaces;
  log: Logger;
  /** Records the attempts, if the process sends traces. */
  tracer?: Tracer;
}

/** A running sender. */
export interface Sender {
  /** Claims no more deliveries. Resolves when the open attempts, each of at most 10 s, are recorded. */
  close(): Promise<void>;
}

/** Starts sending due deliveries. Several processes may send for one database. */
export async function sendDeliveries(parts: SenderParts): Promise<Sender> {
  const { database, system, log } = parts;
  const stopped = new AbortController();
  const open = new Map<string, { delivery: ClaimedDelivery; done: Promise<void> }>();
  let sleeping = new AbortController();
  const wake = (): void => sleeping.abort();
  const unlisten = await database.listen(webhookChannel, wake);
  let lastSweep = system.elapsedMs();

  const busy = (key: 'host' | 'organization_id', bound: number): string[] => {
    const counts = new Map<string, number>();
    for (const { delivery } of open.values()) counts.set(delivery[key], (counts.get(delivery[key]) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= bound).map(([name]) => name);
  };

  const [organizationTurns, hostTurns] = [new Turns(), new Turns()];

  /** Claims a delivery. Organizations take turns, and hosts of one organization, however many deliveries of others have been due longer. */
  const claimNext = async (): Promise<ClaimedDelivery | null> => {
    const busyHosts = busy('host', perHost);
    const most = open.size < concurrency - reserved ? perOrganization : 1;
    for (const organization of organizationTurns.inOrder(await listDueOrganizations(database, busyHosts, busy('organization_id', most)))) {
      for (const host of hostTurns.inOrder(await listDueHosts(database, organization, busyHosts))) {
        const delivery = await claimDelivery(database, system.random.uuid(), organization, host);
        // Otherwise, another process has claimed the delivery meanwhile.
        if (delivery === null) continue;
        organizationTurns.took(organization);
        hostTurns.took(host);
        return delivery;
      }
    }
    return null;
  };

  const startDue = async (): Promise<void> => {
    while (open.size < concurrency && !stopped.signal.aborted) {
      const delivery = await claimNext();
      if (delivery === null) return;
      const done = attemptDelivery(parts, delivery).finally(() => {
        open.delete(delivery.fence);
        wake();
      });
      open.set(delivery.fence, { delivery, done });
    }
  };

  const sweep = async (): Promise<void> => {
    if (system.elapsedMs() - lastSweep < sweepMs) return;
    lastSweep = system.elapsedMs();
    while (!stopped.signal.aborted && await removeEnded(database, retentionMs) === 1000);
  };

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      // Created before the check for deliveries, so that a notification during the check is not lost.
      sleeping = new AbortController();
      try {
        await startDue();
        await sweep();
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'could not claim webhook deliveries');
      }
      await underAny([sleeping.signal, stopped.signal], (signal) => system.timers.sleep(pollMs, signal));
    }
    await Promise.all([...open.values()].map(({ done }) => done));
  };

  const running = run();
  return {
    close: async () => {
      stopped.abort();
      await unlisten();
      await running;
    },
  };
}

/** Never throws: if an outcome cannot be recorded, the attempt is repeated after the lease. */
async function attemptDelivery({ database, outbound, system, log, tracer = noTracer }: SenderParts, delivery: ClaimedDelivery): Promise<void> {
  const span = beginSpan(tracer, `callback ${delivery.type}`, {
    kind: SpanKind.CLIENT, parent: delivery.traceparent,
    attributes: { 'http.request.method': 'POST', 'server.address': delivery.host, 'vouch.delivery.id': delivery.id, 'vouch.delivery.attempt': delivery.attempts + 1, 'vouch.organization_id': delivery.organization_id },
  });
  const about = { delivery: delivery.id, organization: delivery.organization_id, host: delivery.host, type: delivery.type, ...bindingsOf(span) };
  try {
    const secrets = await signingSecrets(database, delivery.organization_id, system);
    const outcome = await deliver({ ...delivery, traceparent: traceparentOf(span) }, secrets, outbound, system);
    if (outcome.answerStatus !== null) span.setAttribute('http.response.status_code', outcome.answerStatus);
    if (outcome.error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    const status = await recordAttempt(database, delivery, outcome, system.random.fraction());
    const facts = { ...about, attempt: delivery.attempts + 1, milliseconds: outcome.durationMs, answer: outcome.answerStatus };
    if (outcome.error === null) log.info(facts, 'webhook delivered');
    else log.warn({ ...facts, reason: outcome.error, status }, 'webhook delivery attempt failed');
  } catch (error) {
    failSpan(span, error);
    log.error({ ...about, reason: reasonOf(error) }, 'could not record the outcome of a webhook attempt');
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
