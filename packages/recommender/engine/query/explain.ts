import type { ModelReader } from '../modelFile/openModel.ts';
import { explainHistory } from './explainHistory.ts';
import { withHistory } from './givenHistory.ts';
import { explainRelated } from './explainRelated.ts';
import type { Ranking } from './ranking.ts';
import { keepLargest, type Finding, type Reason } from './reason.ts';
import { reasonText } from './reasonText.ts';

/**
 * Returns the reasons of each entry of a ranking, largest share first: at most three, each of at least 5 % of the ranking
 * value. An entry without such a reason has none. An entry takes about 50 µs, so exports of all lists do not include reasons.
 * @param node source node of the ranking, -1 for none
 */
export function explain(model: ModelReader, node: number, ranking: Ranking): Reason[][] {
  return find(model, node, ranking).map((findings) =>
    keepLargest(findings).map((finding) => ({ ...finding, text: reasonText(model, node, finding) })),
  );
}

function find(model: ModelReader, node: number, ranking: Ranking): Finding[][] {
  if (ranking.kind === 'related') return explainRelated(model, model.nodeItem[node] ?? 0, ranking);
  if (ranking.kind === 'history' && ranking.history !== null) return explainHistory(withHistory(model, ranking.history), 0, ranking);
  if (ranking.kind === 'history') return explainHistory(model, model.nodeUser[node] ?? 0, ranking);
  return Array.from({ length: ranking.count }, (_, rank) => [
    { kind: 'trending', count: model.audience.count(ranking.item[rank] ?? 0), share: 1 },
  ]);
}
