import type { Timeline } from '../analysis/timeline.ts';
import { explainSegment } from './explainSegment.ts';
import { keySentence, titleOf, type RatedCue } from './keySentences.ts';
import { overlapOf, type Range } from './range.ts';
import type { Terms } from './scoreTerms.ts';
import type { Segment, SegmentReason } from './selection.ts';
import type { SettledOptions } from './settleOptions.ts';

interface Description {
  timeline: Timeline;
  settled: SettledOptions;
  terms: Terms;
  cues: readonly RatedCue[];
  /** All of the video is shown. */
  whole: boolean;
}

/** Gives chosen spans their scores, reasons, titles and sentences. */
export function describeSegments(spans: readonly Range[], { timeline, settled, terms, cues, whole }: Description): Segment[] {
  return spans.map((span): Segment => {
    const text = keySentence(cues, span);
    const place = { start: span.start, end: span.end, title: text === null ? null : titleOf(text), text };
    if (whole) return { ...place, score: 1, reasons: [{ kind: 'whole', share: 1 }] };
    const others = spans.filter((other) => other !== span);
    const explained = explainSegment(span, others, { timeline, terms, diversity: settled.diversity, text });
    if (!settled.includes.some((range) => overlapOf(range, span) > 1e-6)) return { ...place, ...explained };
    // A requested span counts fully; without the request it would be worth what its terms say.
    const reasons = explained.reasons.map((reason): SegmentReason => ({ ...reason, share: reason.share * explained.score }));
    return { ...place, score: 1, reasons: [{ kind: 'included' as const, share: 1 - explained.score }, ...reasons].sort((a, b) => b.share - a.share) };
  });
}
