import type { RecordedAnswer, RecordedList } from '../answers/recordedAnswer.ts';
import { compareLists, type ListDifference } from './compareLists.ts';
import { previewLimits, type RulePreview } from './preview.schema.ts';

type Example = RulePreview['examples'][number];

interface Against {
  /** The lists that should be as they were sent. */
  asSent: readonly RecordedList[];
  nameOf(id: string): string | null;
}

/** Sums up the differences between lists without and with a rule. */
export class PreviewCounts {
  skipped = 0;
  readonly warnings: RulePreview['warnings'] = [];
  private readonly times: number[] = [];
  private changed = 0;
  private changedSince = 0;
  private lists = 0;
  private emptied = 0;
  private removed = 0;
  private added = 0;
  private moved = 0;
  private overlap = 0;
  private readonly losses = new Map<string, { name: string | null; lists: number }>();
  /** The lists that change most, by ascending overlap. */
  private examples: Example[] = [];

  add(answer: RecordedAnswer, before: readonly RecordedList[], after: readonly RecordedList[], { asSent, nameOf }: Against): void {
    this.times.push(answer.answeredAt.getTime());
    if (JSON.stringify(asSent) !== JSON.stringify(answer.lists)) this.changedSince += 1;
    let isChanged = false;
    for (const [at, list] of before.entries()) {
      const items = after[at]?.items ?? [];
      const difference = compareLists(list.items, items);
      this.addList(difference, list.items.length > 0 && items.length === 0, nameOf);
      if (difference.removed.length + difference.added.length + difference.moved === 0) continue;
      isChanged = true;
      this.addExample(answer, list, items, difference.overlap);
    }
    if (isChanged) this.changed += 1;
  }

  toPreview(name: string, isComplete: boolean): RulePreview {
    const dates = this.times.toSorted((a, b) => a - b).map((time) => new Date(time).toISOString());
    const losses = [...this.losses].toSorted(([a, one], [b, other]) => other.lists - one.lists || (a < b ? -1 : 1));
    return {
      name, answers: this.times.length, from: dates[0] ?? null, to: dates.at(-1) ?? null, skipped: this.skipped, is_complete: isComplete,
      changed: this.changed, lists: this.lists, lists_emptied: this.emptied, items_removed: this.removed, items_added: this.added, items_moved: this.moved,
      mean_overlap: this.lists === 0 ? null : Math.round((this.overlap / this.lists) * 1e6) / 1e6, changed_since: this.changedSince,
      removed_items: losses.slice(0, previewLimits.removed).map(([id, loss]) => ({ id, ...loss })),
      examples: this.examples, warnings: this.warnings,
    };
  }

  private addList({ removed, added, moved, overlap }: ListDifference, isEmptied: boolean, nameOf: Against['nameOf']): void {
    this.lists += 1;
    if (isEmptied) this.emptied += 1;
    this.removed += removed.length;
    this.added += added.length;
    this.moved += moved;
    this.overlap += overlap;
    for (const id of removed) {
      const loss = this.losses.get(id);
      if (loss === undefined) this.losses.set(id, { name: nameOf(id), lists: 1 });
      else loss.lists += 1;
    }
  }

  private addExample({ recommendationId, answeredAt, modelId }: RecordedAnswer, { source_id: source, items }: RecordedList, after: readonly string[], overlap: number): void {
    const worst = this.examples.at(-1);
    if (this.examples.length === previewLimits.examples && worst !== undefined && worst.overlap <= overlap) return;
    this.examples.push({
      recommendation_id: recommendationId, answered_at: answeredAt.toISOString(), model_id: modelId, source_id: source, overlap: Math.round(overlap * 1e6) / 1e6,
      before: items.slice(0, previewLimits.items), after: after.slice(0, previewLimits.items),
    });
    this.examples = this.examples.toSorted((a, b) => a.overlap - b.overlap).slice(0, previewLimits.examples);
  }
}
