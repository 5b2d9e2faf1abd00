import type { ModelReader } from '../modelFile/openModel.ts';
import { explainHistory } from './explainHistory.ts';
import { withHistory } from './givenHistory.ts';
import { explainRelated } from './explainRelated.ts';
import type { Ranking } from './ranking.ts';
import type { RecentChanges } from './recentChanges.ts';
import { keepLargest, type Finding, type Reason } from './reason.ts';
import { reasonText } from './reasonText.ts';

/**
 * Returns the reasons of each entry of a ranking, largest share first: at most three, each of at least 5 % of the ranking
 * value. An entry without such a reason has none. Reasons name no entity that was deleted or became unavailable since the training. An entry takes about 50 µs, so exports of all lists do not include reasons.
 * @param node source node of the ranking, -1 for none
 * @param recent what happened since the model was trained; null for the state of the training
 */
export function explain(model: ModelReader, node: number, ranking: Ranking, recent: RecentChanges | null = null): Reason[][] {
  const isCurrent = currentItems(model, recent);
  return find(model, node, ranking).map((findings, rank) => {
    const pair = { source: node, target: model.itemNode[ranking.item[rank] ?? -1] ?? -1 };
    return keepLargest(recent === null ? findings : findings.flatMap((finding) => withoutHidden(finding, recent))).map((finding) => ({ ...finding, text: reasonText(model, pair, finding, finding.kind === 'trending' && isCurrent(ranking.item[rank] ?? -1)) }));
  });
}

/** The test whether an item is in demand now: according to the training, or because of later interactions. */
function currentItems(model: ModelReader, recent: RecentChanges | null): (item: number) => boolean {
  const raised = new Map<number, ReadonlySet<number>>();
  const raisedOf = (type: number): ReadonlySet<number> => {
    const known = raised.get(type) ?? new Set(recent?.raised(type).map(({ item }) => item));
    raised.set(type, known);
    return known;
  };
  return (item) => model.current === null || model.current[item] === 1 || raisedOf(model.typeOfItem(item)).has(item);
}

function find(model: ModelReader, node: number, ranking: Ranking): Finding[][] {
  if (ranking.kind === 'related') return explainRelated(model, model.nodeItem[node] ?? 0, ranking);
  if (ranking.kind === 'history' && ranking.history !== null) return explainHistory(withHistory(model, ranking.history), 0, ranking);
  if (ranking.kind === 'history') return explainHistory(model, model.nodeUser[node] ?? 0, ranking);
  return Array.from({ length: ranking.count }, (_, rank) => [
    { kind: 'trending', count: model.audience.count(ranking.item[rank] ?? 0), share: 1 },
  ]);
}

/** Returns the finding without hidden entities; nothing if the finding names no other entity. */
function withoutHidden(finding: Finding, recent: RecentChanges): Finding[] {
  if (finding.kind !== 'history' && finding.kind !== 'co_interaction') return [finding];
  if (finding.kind === 'co_interaction' && finding.through !== undefined && recent.isHidden(finding.through)) return [];
  const ids = finding.ids.filter((id) => !recent.isHidden(id));
  return ids.length === 0 && finding.ids.length > 0 ? [] : [{ ...finding, ids }];
}
