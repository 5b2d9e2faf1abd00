import { posix } from 'node:path';
import { escapeHtml } from '@vouch/platform/http/htmlPage';
import { Marked, type Tokens } from 'marked';
import { pathOf, type Page } from './pages.ts';

/** Returns the HTML of a page. Links to other pages lead to `/docs/…`; links to files of the repository become text. */
export function renderPage({ path, markdown }: Page, pages: ReadonlyMap<string, Page>): string {
  const slugs = new Set<string>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const slug = slugOf(text, slugs);
        return `<h${depth} id="${slug}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const target = resolveLink(href, path, pages);
        return target === null ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="/docs/images/${encodeURIComponent(posix.basename(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      // Comments are for the tests of the documentation. The pages have no other HTML.
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return text.trimStart().startsWith('<!--') ? '' : escapeHtml(text);
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** Name of a heading in a URL, as GitHub writes it. A repeated name gets a number. */
export function slugOf(text: string, taken: Set<string>): string {
  const plain = text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-');
  let slug = plain;
  for (let count = 1; taken.has(slug); count += 1) slug = `${plain}-${count}`;
  taken.add(slug);
  return slug;
}

/** Returns the URL of a link on a page; null if it leads to a file that is no page. */
function resolveLink(href: string, from: string, pages: ReadonlyMap<string, Page>): string | null {
  if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
  const [file = '', fragment] = href.split('#');
  const directory = pages.get(from)?.path === from && [...pages.keys()].some((path) => from !== '' && path.startsWith(`${from}/`)) ? from : posix.dirname(from);
  const path = pathOf(posix.join(directory, file)).replace(/^\.\/?|\/$/g, '');
  if (path === 'openapi.json') return '/openapi.json';
  if (!pages.has(path)) return null;
  return `/docs${path === '' ? '' : `/${path}`}${fragment === undefined ? '' : `#${fragment}`}`;
}
