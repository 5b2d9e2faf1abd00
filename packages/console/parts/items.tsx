import { useState } from 'preact/hooks';
import type { RecommendationsAnswer } from '@vouch/recommender/recommendations/recommendation.schema';
import { Bar } from './parts.tsx';
import { hue, initials, percent } from './words.ts';

/** The picture of an entity; its initials if there is none or it does not load. */
export function Picture({ id, name, url, small = false }: { id: string; name: string | null; url: string | null; small?: boolean }) {
  const [failed, setFailed] = useState<string | null>(null);
  const known = url !== null && /^https?:/i.test(url) && failed !== url;
  return (
    <span class={`picture hue-${hue(id)} ${small ? 'small' : ''}`} aria-hidden="true">
      {known ? <img src={url} alt="" loading="lazy" referrerpolicy="no-referrer" onError={() => setFailed(url)} /> : initials(name ?? id)}
    </span>
  );
}

type Recommendation = RecommendationsAnswer['recommendations'][number];

/**
 * A recommended item: picture, score, and reasons as sentences with their share of the score.
 * @param withId whether the name needs the id beside it
 */
export function Item({ item, to, withId }: { item: Recommendation; to: string; withId: boolean }) {
  return (
    <li class="item">
      <Picture id={item.target_id} name={item.name} url={item.media_url} />
      <div>
        <h3><span class="rank">{item.rank}</span> <a href={to}>{item.name ?? item.target_id}</a>{withId && <small>{item.target_id}</small>}</h3>
        <p class="score"><Bar part={item.score} kind="score" label="Score" /><span class="number">{item.score.toFixed(2)}</span></p>
        {item.reasons.length === 0
          ? <p class="quiet">Nothing that can be named carries 5 % of the score.</p>
          : <ul class="reasons">{item.reasons.map((reason, at) => <li key={at}>{reason.text} <span class="share" title="Share of the ranking score that would disappear without this reason">{percent(reason.share)}</span></li>)}</ul>}
      </div>
    </li>
  );
}
