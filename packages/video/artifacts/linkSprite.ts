/**
 * A storyboard's WebVTT with the picture that its cues name replaced by a link: players resolve the name beside the
 * WebVTT's own address, without its signature.
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
