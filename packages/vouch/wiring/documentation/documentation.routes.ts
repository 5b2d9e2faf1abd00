import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { compressAnswers } from '@vouch/platform/http/compressAnswers';
import { escapeHtml, layOutPage, sendPage } from '@vouch/platform/http/htmlPage';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { typed } from '@vouch/platform/http/request';
import { loadPages, loadPicture, sectionsOf, type Page, type Section } from './pages.ts';
import { renderPage } from './render.ts';
import { createSearch } from './searchPages.ts';

const route = { config: { scope: null }, exposeHeadRoute: true };
const schema = { hide: true };
const markdownType = 'text/markdown; charset=utf-8';

/**
 * Adds the documentation at `/docs`: each page as HTML and, with `.md`, as Markdown; the search; and the lists of all pages for programs,
 * `/llms.txt` and `/llms-full.txt`. The routes `/docs/api` and `/docs/errors` belong to the platform.
 * @param publicUrl URL of the server without a slash at the end, for the links in `/llms.txt`
 */
export async function addDocumentationPages(server: FastifyInstance, publicUrl: string): Promise<void> {
  const pages = await loadPages();
  const sections = sectionsOf(pages);
  const search = createSearch(pages);
  const rendered = new Map<string, string>();
  const html = (page: Page): string => {
    const known = rendered.get(page.path) ?? layOutPage(page.title, `${renderPage(page, pages)}<p class="quiet"><a href="/docs/${page.path === '' ? 'README' : page.path}.md">This page as Markdown</a></p>`, navigation(sections, page.path));
    rendered.set(page.path, known);
    return known;
  };

  typed(server).get('/docs/search', { ...route, schema: { ...schema, querystring: Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) }) } }, async (request, reply) => {
    const question = request.query.q?.trim() ?? '';
    const matches = question === '' ? [] : await search(question);
    const items = matches.map(({ url, page, heading, excerpt }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(heading === page ? page : `${page}: ${heading}`)}</a><br><span class="quiet">${escapeHtml(excerpt)}</span></li>`);
    const answer = items.length > 0 ? `<ul>${items.join('\n')}</ul>` : `<p>${question === '' ? 'Write one or more words into the field at the top.' : `No page has all words of “${escapeHtml(question)}”. Try fewer words.`}</p>`;
    return sendPage(reply, layOutPage('Search', `<h1>Search</h1>${answer}`, navigation(sections, null)));
  });

  server.get('/docs/images/:name', { ...route, schema: { ...schema, params: Type.Object({ name: Type.String() }) } }, async (request, reply) => {
    const { name } = request.params as { name: string };
    const [, type] = /^[\w-]+\.(png|webp)$/.exec(name) ?? [];
    const picture = type === undefined ? null : await loadPicture(name).catch(() => null);
    if (picture === null) throw missing(name);
    return reply.type(`image/${type}`).send(picture);
  });

  await server.register(async (scope) => {
    compressAnswers(scope);
    scope.get('/docs', { ...route, schema }, async (_request, reply) => sendPage(reply, html(pages.get('')!)));

    // The platform's route of the error pages would take these paths.
    scope.get('/docs/errors/:name.md', { ...route, schema: { ...schema, params: Type.Object({ name: Type.String() }) } }, async (request, reply) => {
      const { name } = request.params as { name: string };
      const page = pages.get(name === 'README' ? 'errors' : `errors/${name}`);
      if (page === undefined) throw missing(`errors/${name}.md`);
      return reply.type(markdownType).send(page.markdown);
    });

    scope.get('/docs/*', { ...route, schema: { ...schema, params: Type.Object({ '*': Type.String() }) } }, async (request, reply) => {
      const { '*': rest } = request.params as { '*': string };
      const asMarkdown = rest.endsWith('.md');
      const page = pages.get(rest.replace(/\.md$/, '').replace(/(?:^|\/)README$/, '').replace(/\/$/, ''));
      if (page === undefined) throw missing(rest);
      return asMarkdown ? reply.type(markdownType).send(page.markdown) : sendPage(reply, html(page));
    });

    const list = Buffer.from(listPages(sections, publicUrl));
    scope.get('/llms.txt', { ...route, schema }, async (_request, reply) => reply.type(markdownType).send(list));
    // Made once. Anybody may request it, so each answer uses the same buffer instead of a copy.
    let whole: Buffer | undefined;
    scope.get('/llms-full.txt', { ...route, schema }, async (_request, reply) => {
      whole ??= Buffer.from([...pages.values()].filter(({ path }) => !path.startsWith('errors/')).map(({ markdown }) => markdown.replaceAll(/^<!--.*-->\n/gm, '')).join('\n\n'));
      return reply.type(markdownType).send(whole);
    });
  });
}

function missing(path: string): Error {
  return platformErrors.problem('not-found', `The documentation has no page ${path.slice(0, 200)}. /docs lists all pages.`);
}

function navigation(sections: readonly Section[], current: string | null): string {
  const groups = sections.map(({ title, pages }) => {
    if (title === 'Error codes') return `<h2>${title}</h2><ul><li><a href="/docs/errors">All error codes</a></li></ul>`;
    const items = pages.map((page) => `<li><a href="/docs/${page.path}"${page.path === current ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`).join('');
    // Decisions are many and seldom read.
    if (title === 'Decisions') return `<details${pages.some(({ path }) => path === current) ? ' open' : ''}><summary>${title}</summary><ul>${items}</ul></details>`;
    return `<h2>${title}</h2><ul>${items}</ul>`;
  });
  return `<nav aria-label="Documentation">${groups.join('')}</nav>`;
}

/** The format of llmstxt.org: a title, a summary, and links to all pages as Markdown. */
function listPages(sections: readonly Section[], publicUrl: string): string {
  const groups = sections.map(({ title, pages }) => `## ${title}\n\n${pages.map((page) => `- [${page.title}](${publicUrl}/docs/${page.path}${page.path === 'errors' ? '/README' : ''}.md)`).join('\n')}\n`);
  return `# Vouch

> Self-hosted recommendations, video previews and signed-message relaying. Every recommendation, preview second and rejected message has a stated reason.

The interface is described in [OpenAPI 3.1](${publicUrl}/openapi.json). Requests carry an API key in the header \`apikey\`.
[All pages in one file](${publicUrl}/llms-full.txt).

${groups.join('\n')}`;
}
