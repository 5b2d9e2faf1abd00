import type { OutboundHttp } from '@vouch/platform/outbound/outbound';

/** Checks and requests the URL of a video, and the URLs in its playlist. */
export type MediaClient = Pick<OutboundHttp, 'check' | 'request'>;
