import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';
import type { ErrorCatalogue, ErrorEntry } from '../errors/problem.ts';
import { escapeHtml as escape, layOutPage, sendPage, styleSheet } from './htmlPage.ts';
import { typed } from './request.ts';

/**
 * Adds `/docs/errors` and one page per error code. The `type` of each problem is the URL of its page.
 * @throws Error if two catalogues have the same code
 */
export function addErrorPages(server: FastifyInstance, catalogues: readonly ErrorCatalogue[]): void {
  const entries = new Map<string, ErrorEntry>();
  for (const catalogue of [platformErrors, ...catalogues]) {
    for (const [code, entry] of Object.entries(catalogue.entries)) {
      const known = entries.get(code);
      if (known !== undefined && known !== entry) throw new Error(`error code ${code} is in two catalogues`);
      entries.set(code, entry);
    }
  }
  const codes = [...entries.keys()].sort();
  const html = { config: { scope: null, problems: ['not-found'] }, exposeHeadRoute: true };
  const documented = { tags: ['documentation'], produces: ['text/html'], response: { 200: Type.String() } };

  server.get('/docs/errors', { ...html, schema: { ...documented, operationId: 'listErrorCodes', summary: 'All error codes' } }, async (_request, reply) => {
    const items = codes.map((code) => `<li><a href="/docs/errors/${code}"><code>${code}</code></a> ${escape(entries.get(code)?.title ?? '')}</li>`);
    return sendPage(reply, page('Error codes', `<ul>${items.join('\n')}</ul>`));
  });

  server.get('/docs/style.css', { config: { scope: null }, exposeHeadRoute: true, schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'max-age=300').type('text/css; charset=utf-8').send(styleSheet));

  typed(server).get('/docs/errors/:code', {
    ...html,
    schema: { ...documented, operationId: 'getErrorCode', summary: 'What an error code means and what to do', params: Type.Object({ code: Type.String() }) },
  }, async (request, reply) => {
    const entry = entries.get(request.params.code);
    if (entry === undefined) throw platformErrors.problem('not-found', 'No error code has this name. /docs/errors lists all error codes.');
    return sendPage(reply, describe(request.params.code, entry));
  });
}

function describe(code: string, entry: ErrorEntry): string {
  return page(code, `
<p class="title">${escape(entry.title)}</p>
<dl>
<dt>HTTP status</dt><dd>${entry.status}</dd>
<dt>Cause</dt><dd>${prose(entry.cause)}</dd>
<dt>What to do</dt><dd>${prose(entry.remedy)}</dd>
</dl>
<p><a href="/docs/errors">All error codes</a> · <a href="/docs/api">API reference</a></p>`);
}

function page(title: string, content: string): string {
  return layOutPage(title, `<h1>${escape(title)}</h1>${content}`);
}

/** Escapes text for HTML and converts \`code\` to HTML. */
function prose(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
