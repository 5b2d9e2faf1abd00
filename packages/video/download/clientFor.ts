import type { OutboundHttp } from '@vouch/platform/outbound/outbound';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { VideoSettings } from '../config/videoSettings.ts';
import type { MediaClient } from './mediaClient.ts';
import { isObjectUrl, ObjectClient } from './objectClient.ts';

/** Returns the client for a `media_url`: that of the object store for `s3://`, otherwise the guarded HTTP client. */
export function clientFor(mediaUrl: string, { outbound, clock }: { outbound: OutboundHttp; clock: Clock }, settings: VideoSettings): MediaClient {
  return isObjectUrl(mediaUrl) ? new ObjectClient(settings, clock) : outbound;
}
