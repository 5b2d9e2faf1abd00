/** Patterns of the file names in the outputs that name other files of their run, by kind of the output. */
const names: Readonly<Record<string, RegExp>> = {
  'storyboard-vtt': /^[\w.-]+(?=#xywh=)/gm,
  hls: /^[\w.-]+$|(?<=URI=")[\w.-]+(?=")/gm,
};

/** Whether outputs of a kind name other files of their run. */
export function namesFiles(kind: string): boolean {
  return Object.hasOwn(names, kind);
}

/**
 * Replaces the names of files of the same run in a storyboard's WebVTT or in an HLS playlist by signed links. Players would resolve the names relative
 * to the URL of the text, but without its signature.
 * @param link makes the link of a file of the same run
 */
export function linkFiles(kind: string, text: string, link: (name: string) => string): string {
  const links = new Map<string, string>();
  return text.replaceAll(names[kind]!, (name) => {
    const known = links.get(name) ?? link(name);
    links.set(name, known);
    return known;
  });
}
