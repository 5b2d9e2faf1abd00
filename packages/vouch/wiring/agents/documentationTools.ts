import { loadPages } from '../documentation/pages.ts';
import { createSearch } from '../documentation/searchPages.ts';
import { failure, type ToolResult } from './callTool.ts';
import type { JsonSchema } from './toolList.ts';

/** A tool that reads the documentation of this version; needs no key. */
interface DocumentationTool {
  description: JsonSchema;
  call(given: Readonly<Record<string, unknown>>): Promise<ToolResult>;
}

/** The tools `search_documentation` and `read_documentation`, by name. */
export async function documentationTools(): Promise<ReadonlyMap<string, DocumentationTool>> {
  const pages = await loadPages();
  const search = createSearch(pages);
  const annotations = { readOnlyHint: true, destructiveHint: false };
  return new Map<string, DocumentationTool>([
    ['search_documentation', {
      description: {
        name: 'search_documentation', description: 'Finds sections of the documentation of this server by words.', annotations: { title: 'Search the documentation', ...annotations },
        inputSchema: { type: 'object', properties: { words: { type: 'string', maxLength: 200 } }, required: ['words'], additionalProperties: false },
      },
      async call({ words }) {
        const matches = await search(String(words ?? '').slice(0, 200));
        if (matches.length === 0) return failure(`No page has all words of “${String(words)}”. Try fewer words.`);
        return { content: [{ type: 'text', text: matches.map(({ url, page, heading, excerpt }) => `${url.replace(/^\/docs\/?/, '')} (${page}: ${heading})\n${excerpt}`).join('\n\n') }] };
      },
    }],
    ['read_documentation', {
      description: {
        name: 'read_documentation', description: 'Returns a page of the documentation as Markdown. search_documentation finds the names of pages; errors/CODE explains an error code.', annotations: { title: 'Read a page of the documentation', ...annotations },
        inputSchema: { type: 'object', properties: { page: { type: 'string', description: 'Name of the page, such as guides/filters or errors/unknown-key.' } }, required: ['page'], additionalProperties: false },
      },
      async call({ page }) {
        const name = String(page ?? '').replace(/^\/?(?:docs\/)?/, '').replace(/#.*$/, '').replace(/\.md$/, '');
        const found = pages.get(name);
        return found === undefined ? failure(`There is no page ${name}. Pages: ${[...pages.keys()].filter((each) => !each.startsWith('errors/') && each !== '').join(', ')}.`) : { content: [{ type: 'text', text: found.markdown }] };
      },
    }],
  ]);
}
