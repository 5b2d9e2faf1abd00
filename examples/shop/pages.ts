import type { Suggestion } from './recommendations.ts';
import { departments, products, type Product } from './products.ts';

/** What the pages show beside the product itself. */
export interface PageData {
  suggestions: readonly Suggestion[];
  /** Ids of products that are not in stock. */
  missing: ReadonlySet<string>;
}

const style = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
ul.products{list-style:none;padding:0;display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr))}
img{width:100%;border-radius:.5rem;display:block}figure{margin:0;max-width:16rem}p.why{font-size:.875rem;margin:.25rem 0}
form{display:inline-block;margin:.25rem .5rem .25rem 0}button,input{font:inherit;padding:.25rem .75rem;max-width:6rem}button{max-width:none}
nav a{margin-right:1rem}.missing img{opacity:.4}`;

/** The page of all products, or of one department. */
export function homePage(department: Product['department'] | null, maxPrice: number | undefined, hasVisits: boolean, data: PageData): string {
  const listed = products.filter((product) => (department === null || product.department === department) && (maxPrice === undefined || product.price <= maxPrice));
  const links = Object.keys(departments).map((name) => `<a href="/?department=${encodeURIComponent(name)}">${escape(name)}</a>`).join(' ');
  return page(department ?? 'Outdoor shop', `<nav aria-label="Departments"><a href="/">everything</a> ${links}</nav>
<form action="/"><label>At most <input name="max_price" type="number" min="1" value="${maxPrice ?? ''}"> €</label> <button>Show</button></form>
${suggestionList(hasVisits ? 'For you' : 'Trending', data)}
<section><h2>Products</h2><ul class="products">${listed.map((product) => card(product, [], data.missing)).join('')}</ul></section>`);
}

/** The page of one product. */
export function productPage(product: Product, data: PageData): string {
  const isMissing = data.missing.has(product.id);
  const send = (action: string, text: string) => `<form method="post" action="/product/${product.id}/${action}"><button>${text}</button></form>`;
  return page(product.name, `<nav><a href="/">Back to the shop</a></nav>
<figure>${picture(product)}</figure><p>${product.price} €, by ${escape(product.maker)}${isMissing ? '. <strong>Not in stock.</strong>' : ''}</p>
${isMissing ? '' : send('buy', 'Buy')}${send('dislike', 'Not for me')}${send('stock', isMissing ? 'Back in stock' : 'Not in stock')}
${suggestionList('Related products', data)}`);
}

export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escape(text)}</p><p><a href="/">Back to the shop</a></p>`);
}

function suggestionList(title: string, { suggestions, missing }: PageData): string {
  const cards = suggestions.flatMap(({ id, reasons }) => {
    const product = products.find((each) => each.id === id);
    return product === undefined ? [] : [card(product, reasons, missing)];
  });
  const list = cards.length === 0 ? '<p>There are no suggestions at the moment.</p>' : `<ul class="products">${cards.join('')}</ul>`;
  return `<section aria-label="${title}"><h2>${title}</h2>${list}</section>`;
}

function card(product: Product, reasons: readonly string[], missing: ReadonlySet<string>): string {
  const isMissing = missing.has(product.id);
  return `<li${isMissing ? ' class="missing"' : ''}><a href="/product/${product.id}">${picture(product)}${escape(product.name)}</a><br>${product.price} €${isMissing ? ', not in stock' : ''}
${reasons.map((reason) => `<p class="why">${escape(reason)}</p>`).join('')}</li>`;
}

function picture({ id }: Product): string {
  return `<img src="/pictures/${id}.svg" alt="" width="100" height="100">`;
}

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title>
<style>${style}</style></head><body><main><h1>${escape(title)}</h1>${content}</main></body></html>`;
}

function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
