/**
 * Replaces the sprite's name in a storyboard's WebVTT by a signed link. Players would resolve the name relative to the URL of
 * the WebVTT, but without its signature.
 * @param link makes the link of a file of the same run
 */
export function linkSprite(vtt: string, link: (name: string) => string): string {
  const links = new Map<string, string>();
  return vtt.replaceAll(/^([\w.-]+)(?=#xywh=)/gm, (name) => {
    const known = links.get(name) ?? link(name);
    links.set(name, known);
    return known;
  });
}
