import { decoderThreads } from '../decoderThreads.ts';
import type { MediaInfo } from '../mediaInfo.ts';
import type { AvTools } from './askAv.ts';
import type { KnownSource, Source } from './protocol/task.ts';

/** Makes the source for a file without probed facts. */
export function sourceOf({ limits }: AvTools, path: string, container: string): Source {
  return { path, container, pixels: limits.pixels, threads: limits.threads, start: null };
}

/** Makes the source for a probed file. */
export function knownSource(tools: AvTools, path: string, info: MediaInfo): KnownSource {
  return { ...sourceOf(tools, path, info.container), threads: decoderThreads(info, tools.limits), start: info.start, info };
}
