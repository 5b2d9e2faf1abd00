import { videoErrors } from '../errors/videoErrors.ts';
import type { SummaryOptions } from '../engine/options/options.schema.ts';
import { checkOptions } from '../engine/selection/checkOptions.ts';

/**
 * Rejects options that contradict each other or the video.
 *
 * @example
 * refuseOptions({ duration: 30, ratio: 0.1 }, null); // throws: both options set the length of the preview
 *
 * @param duration length of the video, seconds; null while unknown
 * @throws Problem `contradictory-options` with one entry per contradiction
 */
export function refuseOptions(options: SummaryOptions, duration: number | null): void {
  const errors = checkOptions(options, duration).map(({ location, detail }) => ({ location: `/options${location}`, detail }));
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length === 1 ? '' : ` ${errors.length - 1} more in \`errors\`.`;
  throw videoErrors.problem('contradictory-options', first.detail + more, { errors });
}
