import { addErrorPages } from '@vouch/platform/http/errorPages';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDocumentationPages } from './documentation.routes.ts';
import { loadPages } from './pages.ts';
import { renderPage } from './render.ts';

let server: FastifyInstance;
const get = async (url: string) => server.inject({ url });

beforeAll(async () => {
  server = Fastify({ exposeHeadRoutes: false });
  await addDocumentationPages(server, 'https://vouch.example');
  await server.ready();
});

afterAll(() => server.close());

describe('the documentation', () => {
  it('links only to pages and headings that exist, and loads nothing from elsewhere', async () => {
    const known = new Map<string, string>();
    const open = async (path: string): Promise<string> => {
      const read = known.get(path);
      if (read !== undefined) return read;
      const { statusCode, body } = await get(path);
      const text = statusCode === 200 ? body : '';
      known.set(path, text);
      return text;
    };
    const broken: string[] = [];
    const pages = ['/docs', ...[...(await loadPages()).keys()].filter((path) => path !== '').map((path) => `/docs/${path}`)];
    expect(pages.length).toBeGreaterThan(100);
    for (const page of pages) {
      const html = await open(page);
      if (html === '') broken.push(page);
      expect(html).not.toMatch(/<script|style="|src="(?:https?:)?\/\//);
      for (const href of [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url)) {
        // The platform serves these, and its own tests check them.
        if (/^(?:https?:|mailto:|\/docs\/api|\/openapi\.json|\/docs\/style\.css)/.test(href)) continue;
        const [before = '', fragment] = href.split('#');
        const path = before === '' ? page : before;
        const target = await open(path);
        if (target === '' || (fragment !== undefined && !target.includes(`id="${fragment}"`))) broken.push(`${page}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('gives each page as Markdown too, and lists all of these for programs', async () => {
    const { body } = await get('/llms.txt');
    const links = [...body.matchAll(/\(https:\/\/vouch\.example(\/docs\/[^)]+\.md)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBe((await loadPages()).size - 1);
    // As in the program, where the platform serves the HTML of the error pages.
    const whole = Fastify({ exposeHeadRoutes: false });
    addErrorPages(whole, []);
    await addDocumentationPages(whole, '');
    for (const link of links) expect((await whole.inject({ url: link })).headers['content-type'], link).toBe('text/markdown; charset=utf-8');
    await whole.close();
    expect((await get('/docs/guides/video.md')).body).toMatch(/^# /m);
    expect((await get('/llms-full.txt')).body).toContain('# Settings');
  });

  it('is found by words, at the heading that has them, with the words of the question as text', async () => {
    const { body } = await get('/docs/search?q=embedded postgresql backup');
    expect(body).toMatch(/<li><a href="\/docs\/[^"]+">/);
    const nothing = (await get(`/docs/search?q=${encodeURIComponent('<img src=x> zzzz')}`)).body;
    expect(nothing).toContain('No page has all words of “&lt;img src=x&gt; zzzz”');
    expect(nothing).not.toContain('<img');
  });

  it('answers 404 for what is no page or picture', async () => {
    for (const path of ['/docs/guides/missing', '/docs/..%2Fpackage.json', '/docs/guides', '/docs/images/..%2FREADME.md', '/docs/images/none.png']) expect((await get(path)).statusCode, path).not.toBe(200);
    expect((await get('/docs/images/report.png')).headers['content-type']).toBe('image/png');
    expect((await get('/docs/images/console-try.webp')).headers['content-type']).toBe('image/webp');
  });
});

describe('a page', () => {
  it('turns links between files into links between pages, and links to other files into text', async () => {
    const pages = new Map(['', 'guides/a', 'errors'].map((path) => [path, { path, title: path, markdown: '' }]));
    const html = renderPage({ path: 'guides/a', title: '', markdown: '<!-- not run: x -->\n## A `b`: c?\n\n[e](../errors/README.md#x) [r](../../README.md) [h](../README.md) <b>' }, pages);
    expect(html).toBe('<h2 id="a-b-c">A <code>b</code>: c?</h2>\n<p><a href="/docs/errors#x">e</a> r <a href="/docs">h</a> &lt;b&gt;</p>\n');
  });
});
