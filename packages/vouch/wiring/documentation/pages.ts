import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A page of the documentation. */
export interface Page {
  /** Path below `/docs/`, without `.md`; empty for the first page. */
  path: string;
  title: string;
  markdown: string;
}

/** A group of the navigation. */
export interface Section {
  title: string;
  pages: Page[];
}

const folder = fileURLToPath(new URL('../../../../docs/', import.meta.url));

/** Sections in their order. A page belongs to the first section that takes it. */
const sections: readonly { title: string; takes(page: Page): boolean }[] = [
  { title: 'Tutorials', takes: ({ path }) => path.startsWith('tutorials/') },
  { title: 'Explanations', takes: ({ path }) => path.startsWith('explanations/') },
  { title: 'Error codes', takes: ({ path }) => path.startsWith('errors') },
  { title: 'Reference', takes: ({ path, markdown }) => path === 'conformance' || markdown.startsWith('<!-- Written by npm run docs') },
  { title: 'Decisions', takes: ({ path }) => path.startsWith('decisions/') },
  { title: 'Guides', takes: () => true },
];
const order = ['Tutorials', 'Guides', 'Explanations', 'Reference', 'Decisions', 'Error codes'];

/** Reads all pages, keyed by path. */
export async function loadPages(): Promise<ReadonlyMap<string, Page>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md')).toSorted();
  const pages = await Promise.all(names.map(async (name) => {
    const markdown = await readFile(posix.join(folder, name), 'utf8');
    return { path: pathOf(name), title: /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? name, markdown };
  }));
  return new Map(pages.map((page) => [page.path, page]));
}

/** Reads a picture of the documentation. @throws Error if there is none */
export async function loadPicture(name: string): Promise<Buffer> {
  return readFile(posix.join(folder, 'images', posix.basename(name)));
}

/** The path of a page without its file's ending. A README is the page of its folder. */
export function pathOf(name: string): string {
  return name.replace(/\.md$/, '').replace(/(?:^|\/)README$/, '');
}

/** Groups the pages for the navigation. The first page is in no section. */
export function sectionsOf(pages: ReadonlyMap<string, Page>): Section[] {
  const grouped = new Map<string, Page[]>();
  for (const page of pages.values()) {
    if (page.path === '') continue;
    const { title } = sections.find(({ takes }) => takes(page))!;
    grouped.set(title, [...(grouped.get(title) ?? []), page]);
  }
  return order.flatMap((title) => {
    const found = grouped.get(title);
    return found === undefined ? [] : [{ title, pages: title === 'Decisions' || title === 'Error codes' ? found : found.toSorted((a, b) => a.title.localeCompare(b.title, 'en')) }];
  });
}
