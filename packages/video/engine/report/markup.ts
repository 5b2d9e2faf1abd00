/** Markup that is inserted without escaping. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | null | readonly Part[];

/**
 * Builds markup from a template. Values are escaped for text and for attributes in double quotes; only results of this
 * function are inserted unchanged, so an untrusted title cannot become a tag.
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + render(values[index - 1] ?? null) + string));
}

function render(value: Part): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escape(String(value));
}

const replacements: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Control characters, and characters that change the text direction, could change the meaning of the page. */
const unwanted = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

function escape(text: string): string {
  return text.replaceAll(unwanted, '�').replaceAll(/[&<>"']/g, (character) => replacements[character]!);
}
