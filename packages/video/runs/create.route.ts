import { hashRequest } from '@vouch/platform/http/idempotency';
import { typed } from '@vouch/platform/http/request';
import { traceparentOfRequest } from '@vouch/platform/http/traceRequests';
import { refuseAddresses } from '@vouch/platform/outbound/refuseAddresses';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { statusLinkMs, type ArtifactLinks } from '../artifacts/artifactLinks.ts';
import type { VideoSettings } from '../config/videoSettings.ts';
import { clientFor } from '../download/clientFor.ts';
import { describeRun } from './fetchRun.ts';
import { keepForRun } from '../uploads/uploadStore.ts';
import { uploadIdOf } from '../uploads/uploadUrl.ts';
import { checkMedia } from './checkMedia.ts';
import { refuseOptions } from './refuseOptions.ts';
import { RunRecord, RunRequest } from './run.schema.ts';
import { insertRun } from './runStore.ts';
import { summarizeKind } from './summarizeKind.ts';

/** POST /v1video-summarization/create: records a run and its job, and answers at once. */
export function createRoute(server: FastifyInstance, platform: Platform, settings: VideoSettings, links: ArtifactLinks): void {
  typed(server).post(
    '/v1video-summarization/create',
    {
      config: { scope: 'video:write', problems: ['address-refused', 'contradictory-options', 'unknown-upload', 'upload-unfinished'] },
      schema: {
        operationId: 'createSummarization',
        summary: 'Start a summarization',
        description:
          'Downloads the video, or reads an upload or an object of an S3-compatible store, detects its shots, rates its importance over time and renders a preview of the best segments. Returns at once; GET /v1/status/{run_id} returns the progress.',
        tags: ['video'],
        body: RunRequest,
        response: { 202: RunRecord },
      },
    },
    async (request, reply) => {
      const { media_url: mediaUrl, on_completed_hook: hook = null, options = {}, cache_id: cacheId = null } = request.body;
      const { organizationId } = request.identity;
      const { outbound, webhooks } = platform;
      refuseAddresses([
        { location: '/media_url', address: mediaUrl, check: (url) => checkMedia(url, clientFor(url, platform, settings)) },
        { location: '/options/subtitles_url', address: options.subtitles_url, check: (url) => outbound.check(url) },
        { location: '/on_completed_hook', address: hook, check: (url) => webhooks.checkUrl(url) },
      ]);
      refuseOptions(options, null);
      const uploadId = uploadIdOf(mediaUrl);
      return server.idempotency.answer(request, reply, hashRequest(request), async (transaction) => {
        if (uploadId !== null) await keepForRun(transaction, organizationId, uploadId);
        const job = await platform.jobs.enqueue(transaction, {
          organizationId,
          kind: summarizeKind,
          subject: uploadId === null ? new URL(mediaUrl).host : mediaUrl,
          input: null,
          traceparent: traceparentOfRequest(request),
        });
        await insertRun(transaction, organizationId, { runId: job.id, mediaUrl, options, cacheId, hook });
        const record = await describeRun(platform, links, transaction, job, statusLinkMs);
        if (record === null) throw new Error(`run ${job.id} has no row`);
        return { status: 202, body: record };
      });
    },
  );
}
