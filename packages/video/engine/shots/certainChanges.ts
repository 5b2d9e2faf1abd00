import { layoutStep, type FrameTrack } from '../pictures/frameTrack.ts';
import type { PageChange } from '../pictures/pageFinder.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import type { Transition } from './shot.ts';

/** How long before a known cut the frames that were skipped may show the change of the page, seconds. */
const reach = 0.5;
/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/**
 * The measurements of some of the frames of a video, without what only all frames show. Of the changes of pages, those stay before and after which
 * `FrameTrack.pages` knows different pages: between frames that are apart, motion is sudden (in one of six labelled clips, there was a false cut without this
 * condition). With blends, a cut of a labelled clip and three dissolves of composed
 * clips (tuning seeds) became another transition.
 */
export function withCertainChanges(measured: Measured): Measured {
  const { frames, changes } = withPages(measured, ({ from, to }) => {
    const before = pageAt(measured.frames, Math.floor(measured.frames.times[from - 1]! / layoutStep));
    const after = pageAt(measured.frames, Math.ceil(measured.frames.times[to]! / layoutStep));
    return before !== 0 && after !== 0 && before !== after;
  });
  return { frames, changes: { ...changes, blends: [] } };
}

/**
 * The measurements of a window, with the sudden changes of pages at known cuts and the dissolves of pages during known ones alone: a window
 * does not tell whether a page is shown for long.
 */
export function withKnownPages(measured: Measured, known: readonly Transition[]): Measured {
  const { times } = measured.frames;
  return withPages(measured, (change) => {
    const [from, to] = [times[change.from]!, times[change.to]!];
    return known.some(({ kind, start, end }) => (change.sudden ? kind === 'cut' && start > from - sameFrame && start < from + reach : kind === 'dissolve' && start < to && end > from));
  });
}

function withPages({ frames, changes }: Measured, keep: (change: PageChange) => boolean): Measured {
  return { frames, changes: { ...changes, pages: changes.pages.filter(keep) } };
}

function pageAt({ pages }: FrameTrack, row: number): number {
  return pages[row] ?? 0;
}
