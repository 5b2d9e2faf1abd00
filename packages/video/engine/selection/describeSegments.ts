import type { Timeline } from '../analysis/timeline.ts';
import { explainSegment } from './explainSegment.ts';
import { keySentence, titleOf, type RatedCue } from './keySentences.ts';
import { bestMatch, type Match } from './queryMatches.ts';
import { overlapOf, type Range } from './range.ts';
import type { Repeats } from './repeats.ts';
import type { Terms } from './scoreTerms.ts';
import type { Segment, SegmentReason } from './selection.ts';
import type { SettledOptions } from './settleOptions.ts';

interface Description {
  timeline: Timeline;
  settled: SettledOptions;
  terms: Terms;
  cues: readonly RatedCue[];
  matches: readonly Match[];
  /** The preview shows the whole video, except the parts that the caller excluded. */
  whole: boolean;
  repeats: Repeats;
}

/** Maximum number of other occurrences that a reason lists. */
const maxListed = 20;

/** Turns the chosen spans into segments with score, reasons, title and key sentence. */
export function describeSegments(spans: readonly Range[], { timeline, settled, terms, cues, matches, whole, repeats }: Description): Segment[] {
  return spans.map((span): Segment => {
    const text = keySentence(cues, span);
    const place = { start: span.start, end: span.end, title: text === null ? null : titleOf(text), text };
    if (whole) return { ...place, score: 1, reasons: [{ kind: 'whole', share: 1 }] };
    const others = spans.filter((other) => other !== span);
    const explained = explainSegment(span, others, { timeline, terms, diversity: settled.diversity, text, match: bestMatch(matches, span) });
    const again = others.filter((other) => repeats.showsAgain(other, repeats.originsOf(span)));
    // A jingle or a black frame that returns does not make the segment around it a scene that returns.
    const also = repeats.othersOf(span, again.length > 0 ? 0 : (span.end - span.start) / 2);
    if (also.length > 0) explained.reasons.push({ kind: 'repeat', share: 0, shown: 1 + again.length, also: also.slice(0, maxListed) });
    if (!settled.includes.some((range) => overlapOf(range, span) > 1e-6)) return { ...place, ...explained };
    // A span that the caller included has score 1. Its other reasons keep the shares that they would have without the request.
    const reasons = explained.reasons.map((reason): SegmentReason => ({ ...reason, share: reason.share * explained.score }));
    return { ...place, score: 1, reasons: [{ kind: 'included' as const, share: 1 - explained.score }, ...reasons].sort((a, b) => b.share - a.share) };
  });
}
