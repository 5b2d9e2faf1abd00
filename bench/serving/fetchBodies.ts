import { relatedPath } from './load.ts';

/** Returns real response bodies for the reference server: the exact bytes that our server sends, for about 1,000 of the ids. */
export async function fetchBodies(
  { url, key, modelId, ids }: { url: string; key: string; modelId: string; ids: readonly string[] },
): Promise<string[]> {
  const bodies: string[] = [];
  const step = Math.max(1, Math.floor(ids.length / 1_000));
  for (let place = 0; place < ids.length; place += step) {
    const answer = await fetch(url + relatedPath(modelId, ids[place] as string), { headers: { apikey: key } });
    if (!answer.ok) throw new Error(`the related items of ${ids[place]} were answered with ${answer.status}`);
    bodies.push(await answer.text());
  }
  return bodies;
}
