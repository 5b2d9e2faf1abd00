import { playlistProblem } from './playlist.ts';

/** An element of XML, without its namespace prefix. */
export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** The text directly inside the element. */
  text: string;
}

const maxDepth = 32;
const maxElements = 200_000;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Pieces of a document. Documents with a DTD do not match, because entities of a DTD can name files and grow without limit. */
const piece = /<\?[^?]*(?:\?(?!>)[^?]*)*\?>|<!--[^-]*(?:-(?!->)[^-]*)*-->|<!\[CDATA\[([^\]]*(?:\](?!\]>)[^\]]*)*)\]\]>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;

/**
 * Parses XML of the kind that manifests are: elements, attributes and text. Document types and entities other than the five of XML are refused.
 * @throws Problem `playlist-refused`
 */
export function parseXml(document: string): XmlElement {
  const top: XmlElement = { name: '', attributes: new Map(), children: [], text: '' };
  const open: XmlElement[] = [top];
  let elements = 0;
  piece.lastIndex = 0;
  const text = document.replace(/^\uFEFF/, '');
  while (piece.lastIndex < text.length) {
    const at = piece.lastIndex;
    const match = piece.exec(text);
    if (match === null) throw playlistProblem(`is XML that cannot be read at character ${at}`);
    const [, data, closed, opened, attributes = '', single, characters] = match;
    const here = open.at(-1)!;
    if (characters !== undefined) here.text += decode(characters);
    else if (data !== undefined) here.text += data;
    else if (closed !== undefined) {
      if (open.length === 1 || here.name !== localName(closed)) throw playlistProblem(`is XML whose element ${closed.slice(0, 40)} is closed but not open`);
      open.pop();
    } else if (opened !== undefined) {
      const element: XmlElement = { name: localName(opened), attributes: attributesOf(attributes), children: [], text: '' };
      here.children.push(element);
      elements += 1;
      if (elements > maxElements || open.length > maxDepth) throw playlistProblem('is XML with too many elements');
      if (single === '') open.push(element);
    }
  }
  const [root] = top.children;
  if (open.length !== 1 || top.children.length !== 1 || root === undefined) throw playlistProblem('is XML that is not complete');
  return root;
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, simple] of text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) found.set(localName(name), decode(double ?? simple ?? ''));
  return found;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function decode(text: string): string {
  return text.replaceAll(/&([^;\s&]{0,12});?/g, (whole, name: string) => {
    const code = /^#x([0-9a-f]{1,6})$/i.exec(name)?.[1];
    const number = code === undefined ? Number(/^#(\d{1,7})$/.exec(name)?.[1] ?? Number.NaN) : Number.parseInt(code, 16);
    const letter = entities[name] ?? (number > 0 && number <= 0x10_ff_ff ? String.fromCodePoint(number) : undefined);
    if (letter === undefined || !whole.endsWith(';')) throw playlistProblem(`is XML with the unknown entity ${whole.slice(0, 20)}`);
    return letter;
  });
}
