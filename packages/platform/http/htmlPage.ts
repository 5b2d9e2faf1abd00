import type { FastifyReply } from 'fastify';
import { pageHeaders } from './securityHeaders.ts';

/** Policy of pages without scripts, whose style sheet and pictures come from this server. */
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Style sheet of all pages, at `/docs/style.css`. */
export const styleSheet = `:root{color-scheme:light dark;--line:light-dark(#d5d9e0,#363b44);--soft:light-dark(#f4f5f7,#1d2025);--quiet:light-dark(#555c68,#a4abb6);--accent:light-dark(#0b57b4,#7ab4ff)}
*{box-sizing:border-box}
body{font:16px/1.6 system-ui,sans-serif;margin:0}
a{color:var(--accent)}
header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;padding:.75rem 1.25rem;border-bottom:1px solid var(--line)}
header a{text-decoration:none}header .name{font-weight:700;color:inherit}header form{margin-left:auto}
input{font:inherit;padding:.25rem .6rem;border:1px solid var(--line);border-radius:6px;background:var(--soft);color:inherit;max-width:100%}
button{font:inherit;padding:.25rem .8rem;border:1px solid var(--line);border-radius:6px;background:var(--soft);color:inherit}
.columns{display:grid;grid-template-columns:minmax(0,1fr);max-width:76rem;margin:0 auto}
nav{padding:1rem 1.25rem;font-size:.92rem}nav ul{list-style:none;margin:.3rem 0 1rem;padding:0}nav h2{font-size:.8rem;margin:0;color:var(--quiet);text-transform:uppercase;letter-spacing:.04em}
nav li{margin:.15rem 0}nav a{text-decoration:none}nav [aria-current]{font-weight:600;color:inherit}nav summary{cursor:pointer}
main{padding:1rem 1.25rem 4rem;max-width:50rem;min-width:0;overflow-wrap:break-word}main:only-child{margin:0 auto;width:100%}
h1{line-height:1.25;margin:.6rem 0 1rem}h2{margin-top:2.2rem}h1 code,h2 code,h3 code{font-size:1em}
.title{font-size:1.25rem}dt{font-weight:600;margin-top:1rem}dd{margin:0}li{margin:.25rem 0}
code{font:.875em/1.5 ui-monospace,monospace;background:var(--soft);padding:.1em .3em;border-radius:4px}
pre{background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;overflow-x:auto}pre code{background:none;padding:0}
table{display:block;overflow-x:auto;border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.35rem .7rem;border-bottom:1px solid var(--line)}td code{overflow-wrap:normal}
img{max-width:100%;height:auto}.quiet{color:var(--quiet);font-size:.9rem}
@media(max-width:59.99rem){nav{order:1;border-top:1px solid var(--line)}}
@media(min-width:60rem){.columns{grid-template-columns:17rem minmax(0,1fr)}nav{border-right:1px solid var(--line);min-height:100vh}}
`;

/**
 * Returns a page of the documentation.
 * @param title text
 * @param content HTML inside of `main`
 * @param navigation HTML of the list of pages; none by default
 */
export function layOutPage(title: string, content: string, navigation = ''): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · Vouch</title><link rel="stylesheet" href="/docs/style.css"></head>
<body>
<header><a class="name" href="/docs">Vouch</a> <a href="/docs/api">API reference</a> <a href="/docs/errors">Error codes</a>
<form action="/docs/search" role="search"><input name="q" type="search" aria-label="Search the documentation" placeholder="Search"> <button>Search</button></form></header>
<div class="columns">${navigation}<main>${content}</main></div>
</body>
</html>
`;
}

/** Sends a page with the headers of pages. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.headers({ ...pageHeaders, 'content-security-policy': pagePolicy }).type('text/html; charset=utf-8').send(html);
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
