import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';
import type { ErrorCatalogue, ErrorEntry } from '../errors/problem.ts';
import { typed } from './request.ts';
import { pageHeaders } from './securityHeaders.ts';

const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

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
    return reply.headers({ ...pageHeaders, 'content-security-policy': pagePolicy }).type('text/html; charset=utf-8').send(page('Error codes', `<ul>${items.join('\n')}</ul>`));
  });

  typed(server).get('/docs/errors/:code', {
    ...html,
    schema: { ...documented, operationId: 'getErrorCode', summary: 'What an error code means and what to do', params: Type.Object({ code: Type.String() }) },
  }, async (request, reply) => {
    const entry = entries.get(request.params.code);
    if (entry === undefined) throw platformErrors.problem('not-found', 'No error code has this name. /docs/errors lists all error codes.');
    return reply.headers({ ...pageHeaders, 'content-security-policy': pagePolicy }).type('text/html; charset=utf-8').send(describe(request.params.code, entry));
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
<p><a href="/docs/errors">All error codes</a> · <a href="/docs">API reference</a></p>`);
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)} · Vouch</title>
<style>
:root{color-scheme:light dark}
body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}
.title{font-size:1.25rem}dt{font-weight:600;margin-top:1rem}dd{margin:0}li{margin:.4rem 0}
</style></head>
<body><main><h1>${escape(title)}</h1>${content}</main></body>
</html>
`;
}

/** Escapes text for HTML and converts \`code\` to HTML. */
function prose(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
