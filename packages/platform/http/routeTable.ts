import type { RouteOptions } from 'fastify';
import { nearestName } from '../config/nearestName.ts';
import type { Scope } from '../keys/scopes.ts';

/** One route, for documentation and tests. */
export interface RouteEntry {
  method: string;
  /** Path with parameters in the form `{name}`. */
  path: string;
  /** The scope that the key must have; null for a route that needs no key. */
  scope: Scope | null;
  summary: string;
}

/** Collects the routes of the server while they are added. */
export class RouteTable {
  readonly #routes: RouteOptions[] = [];

  add(route: RouteOptions): void {
    this.#routes.push(route);
  }

  /** Returns the routes sorted by path, without the automatic HEAD and OPTIONS routes. */
  entries(): RouteEntry[] {
    const entries = this.#routes.flatMap((route) =>
      methodsOf(route)
        .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
        .map((method) => ({
          method,
          path: route.url.replaceAll(/:(\w+)/g, '{$1}'),
          scope: route.config?.scope ?? null,
          summary: route.schema?.summary ?? '',
        })));
    return entries.sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
  }

  /** @throws Error that names the routes without a scope setting */
  check(): void {
    const silent = this.#routes.filter((route) => route.config?.scope === undefined);
    if (silent.length === 0) return;
    const names = silent.map((route) => `${methodsOf(route).join('|')} ${route.url}`);
    throw new Error(`these routes have no config.scope (a scope, or null for public routes): ${names.join(', ')}`);
  }

  /** Returns the known path that a client most likely meant: one that differs only in slashes and case, or a similar one. Null if none is near. */
  nearest(path: string): string | null {
    const tidy = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
    if (tidy !== path && this.methodsAt(tidy).length > 0) return tidy;
    const known = [...new Set(this.#routes.filter(({ schema, url }) => schema?.hide !== true && !/[:*]/.test(url)).map(({ url }) => url))];
    const letters = (text: string): string => text.replaceAll('/', '').toLowerCase();
    return known.find((url) => letters(url) === letters(path)) ?? nearestName(path, known);
  }

  /** Returns the methods that this path supports, for 405 and `Allow`. */
  methodsAt(path: string): string[] {
    const parts = path.split('/');
    const found = this.#routes.filter((route) => matches(route.url.split('/'), parts)).flatMap(methodsOf);
    return [...new Set(found)].sort();
  }
}

function methodsOf(route: RouteOptions): string[] {
  return Array.isArray(route.method) ? route.method : [route.method];
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  for (const [index, expected] of pattern.entries()) {
    if (expected === '*') return true;
    const part = parts[index];
    if (part === undefined) return false;
    if (expected.startsWith(':') ? part === '' : part !== expected) return false;
  }
  return parts.length === pattern.length;
}
