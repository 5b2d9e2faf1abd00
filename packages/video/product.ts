import type { Product } from '@vouch/platform/product/product';
import { artifactRoute } from './artifacts/artifact.route.ts';
import { ArtifactLinks } from './artifacts/artifactLinks.ts';
import { summarizeClip } from './demo/summarizeClip.ts';
import { videoFindings } from './doctor/videoFindings.ts';
import { mediaChecks } from './doctor/mediaChecks.ts';
import { videoErrors } from './errors/videoErrors.ts';
import { cancelRoute } from './runs/cancel.route.ts';
import { createRoute } from './runs/create.route.ts';
import { runBlobReferences } from './runs/keptMedia.ts';
import { runListRoute } from './runs/runList.route.ts';
import { statusRoute } from './runs/status.route.ts';
import { summarizeJob } from './runs/summarize.job.ts';
import { uploadRoutes } from './uploads/upload.route.ts';
import { uploadBlobReferences } from './uploads/uploadStore.ts';
import { videoSettings, type VideoSettings } from './config/videoSettings.ts';

/** The product "video summarization": turns the URL of a video into a preview of the best segments. */
export const video: Product = {
  name: 'video',
  configuration: videoSettings,
  errors: videoErrors,
  findings: videoFindings,
  migrations: new URL('./migrations/', import.meta.url),
  blobReferences: `${runBlobReferences} UNION ${uploadBlobReferences}`,
  build(platform, given) {
    // The settings have been validated against `configuration`.
    const settings = given as VideoSettings;
    const links = new ArtifactLinks(platform.database, platform, platform.publicUrl);
    return {
      routes(server) {
        createRoute(server, platform, settings, links);
        statusRoute(server, platform, links);
        cancelRoute(server, platform, links);
        runListRoute(server, platform, links);
        artifactRoute(server, platform, links);
        uploadRoutes(server, platform, settings);
      },
      jobs: [summarizeJob(platform, settings, links)],
      checks: mediaChecks(platform, settings),
      close: async () => {},
    };
  },
  demo: [summarizeClip],
};
