import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { homePage, messagePage, productPage } from './pages.ts';
import { drawPicture } from './picture.ts';
import { departments, products, type Product } from './products.ts';
import type { Recommendations } from './recommendations.ts';
import { Visitors, type Visit } from './visitors.ts';

/** Creates the HTTP server of the shop. Products that are not in stock and sessions are in its memory. */
export function createShop(recommendations: Recommendations): Server {
  const visitors = new Visitors();
  const missing = new Set<string>();

  async function showHome(url: URL, visitor: string): Promise<string> {
    const department = url.searchParams.get('department');
    const price = Number(url.searchParams.get('max_price') || NaN);
    const maxPrice = Number.isFinite(price) && price > 0 ? price : undefined;
    const visits = visitors.of(visitor);
    const suggestions = await recommendations.forVisitor(visits, maxPrice);
    return homePage(department !== null && Object.hasOwn(departments, department) ? department as Product['department'] : null, maxPrice, visits.length > 0, { suggestions, missing });
  }

  async function showProduct(product: Product, visitor: string): Promise<string> {
    // A page that is loaded again is not a second view.
    if (visitors.of(visitor).at(-1)?.id !== product.id) remember(visitor, { id: product.id, type: 'view' });
    return productPage(product, { suggestions: await recommendations.relatedTo(product), missing });
  }

  function remember(visitor: string, visit: Visit): void {
    visitors.add(visitor, visit);
    void recommendations.record(visitor, visit);
  }

  async function act(product: Product, action: string, visitor: string): Promise<string> {
    if (action === 'buy') remember(visitor, { id: product.id, type: 'purchase' });
    else if (action === 'dislike') remember(visitor, { id: product.id, type: 'dislike' });
    else {
      // Answered after Vouch has stored the change, so that the next list is without the product.
      const available = missing.has(product.id);
      await recommendations.setStock(product, available);
      if (available) missing.delete(product.id);
      else missing.add(product.id);
      return `/product/${product.id}`;
    }
    return '/';
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://shop');
    const visitor = visitorOf(request, response);
    const [, area = '', id = '', action] = url.pathname.split('/');
    const product = products.find((each) => each.id === id.replace(/\.svg$/, ''));
    if (request.method === 'GET' && area === '') return send(response, 200, await showHome(url, visitor));
    if (product === undefined) return send(response, 404, messagePage('Not found', 'The shop has no such page.'));
    if (request.method === 'GET' && area === 'pictures') return send(response, 200, drawPicture(product), 'image/svg+xml');
    if (request.method === 'GET' && area === 'product' && action === undefined) return send(response, 200, await showProduct(product, visitor));
    if (request.method === 'POST' && area === 'product' && ['buy', 'dislike', 'stock'].includes(action ?? '')) {
      response.writeHead(303, { location: await act(product, action ?? '', visitor) }).end();
      return undefined;
    }
    return send(response, 404, messagePage('Not found', 'The shop has no such page.'));
  }

  return createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) send(response, 503, messagePage('Not possible now', (error as Error).message));
    });
  });
}

/** The id of an anonymous visitor, from a cookie. A new visitor gets a cookie. */
function visitorOf(request: IncomingMessage, response: ServerResponse): string {
  const known = /(?:^|;\s*)visitor=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1];
  if (known !== undefined) return known;
  const made = crypto.randomUUID();
  response.setHeader('set-cookie', `visitor=${made}; HttpOnly; SameSite=Lax; Path=/`);
  return made;
}

function send(response: ServerResponse, status: number, body: string, type = 'text/html; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'content-security-policy': "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'self'" }).end(body);
}
