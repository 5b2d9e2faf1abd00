import { textOrNull } from './jsonBuffer.ts';
import type { Ranking } from './ranking.ts';
import type { Reason } from './reason.ts';
import type { Recommender, Source } from './recommender.ts';

/**
 * Returns the entries of a ranking as JSON objects, separated by commas, without brackets. Fields: source_id (null without a
 * source), target_id, rank, score, type, name, media_url (each null if unknown), reasons.
 * @param source source of the ranking, -1 for none
 * @param reasons reasons of each entry, in the order of the ranking; null leaves every list empty
 */
export function jsonRows(
  recommender: Recommender,
  source: Source,
  ranking: Ranking,
  reasons: readonly (readonly Reason[])[] | null,
): string {
  const { model } = recommender;
  const sourceText = source === -1 ? 'null' : JSON.stringify(typeof source === 'string' ? source : model.ids.get(source));
  let text = '';
  for (let rank = 0; rank < ranking.count; rank += 1) {
    const node = model.itemNode[ranking.item[rank] ?? 0] ?? 0;
    const type = model.facts.types[model.nodeType[node] ?? -1];
    const score = Math.round((ranking.score[rank] ?? 0) * 1e6) / 1e6;
    text +=
      `${rank === 0 ? '' : ','}{"source_id":${sourceText},"target_id":${JSON.stringify(model.ids.get(node))}` +
      `,"rank":${ranking.skipped + rank + 1},"score":${score},"type":${type === undefined ? 'null' : JSON.stringify(type)}` +
      `,"name":${textOrNull(model.names.get(node))},"media_url":${textOrNull(model.mediaUrls.get(node))}` +
      `,"reasons":${reasons === null ? '[]' : JSON.stringify(reasons[rank] ?? [])}}`;
  }
  return text;
}
