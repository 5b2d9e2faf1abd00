import MiniSearch from 'minisearch';
import type { Page } from './pages.ts';
import { slugOf } from './render.ts';

/** A part of a page from one heading to the next. */
interface Part {
  id: string;
  page: string;
  heading: string;
  text: string;
}

/** A part of a page that has the words of a question. */
export interface Match {
  url: string;
  page: string;
  heading: string;
  excerpt: string;
}

const mostMatches = 20;
const mostWords = 8;

/** Creates the search. The index is made at the first question, in steps, so that other requests wait for at most a few ms. */
export function createSearch(pages: ReadonlyMap<string, Page>): (question: string) => Promise<Match[]> {
  let opened: Promise<MiniSearch<Part>> | undefined;
  return async (question) => {
    opened ??= openIndex(pages);
    const words = question.split(/\s+/).filter((word) => word !== '').slice(0, mostWords);
    const found = (await opened).search(words.join(' '), { prefix: true, fuzzy: 0.15, boost: { heading: 4, page: 3 }, combineWith: 'AND' });
    return found.slice(0, mostMatches).map(({ id, page, heading, text, terms }) => (
      { url: `/docs/${String(id)}`, page: String(page), heading: String(heading), excerpt: excerptOf(String(text), terms) }));
  };
}

async function openIndex(pages: ReadonlyMap<string, Page>): Promise<MiniSearch<Part>> {
  const index = new MiniSearch<Part>({ fields: ['page', 'heading', 'text'], storeFields: ['page', 'heading', 'text'] });
  await index.addAllAsync([...pages.values()].flatMap(partsOf), { chunkSize: 20 });
  return index;
}

function partsOf({ path, title, markdown }: Page): Part[] {
  const taken = new Set<string>();
  return markdown.replaceAll(/<!--[^]*?-->/g, '').split(/^(?=#{1,3} )/m).filter((text) => text.trim() !== '').map((text, at) => {
    const [, heading = title] = /^#{1,3} (.+)$/m.exec(text) ?? [];
    const slug = slugOf(heading, taken);
    return { id: at === 0 ? path : `${path}#${slug}`, page: title, heading: heading.replaceAll('`', ''), text: text.replace(/^#.*$/m, '').replaceAll(/[`*|]|\]\([^)]*\)|\[/g, ' ').replaceAll(/\s+/g, ' ').trim() };
  });
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0), text.length) - 60);
  const begin = at >= text.length - 60 ? 0 : at;
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, begin + 220)}${begin + 220 < text.length ? ' …' : ''}`;
}
