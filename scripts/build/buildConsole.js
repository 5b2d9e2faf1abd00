import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bundles the web console: one script, one style sheet and the page. All are in one JSON file, which the server reads at its start.
 * @param {typeof import('esbuild')} esbuild
 * @returns {Promise<{files: Map<string, string>, metafile: object}>} contents of the file, keyed by its path in `dist/`
 */
export async function buildConsole(esbuild, checkout) {
  const folder = join(checkout, 'packages/console');
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: checkout,
    entryPoints: [join(folder, 'app.tsx'), join(folder, 'styles.css')],
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome110', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const text = (end) => outputFiles.find(({ path }) => path.endsWith(end)).text;
  const [script, style] = [text('.js'), text('.css')];
  const [scriptName, styleName] = [`console-${hashOf(script)}.js`, `console-${hashOf(style)}.css`];
  const page = (await readFile(join(folder, 'page.html'), 'utf8')).replace('SCRIPT', scriptName).replace('STYLE', styleName);
  const assets = {
    'page.html': { type: 'text/html; charset=utf-8', text: page },
    [scriptName]: { type: 'text/javascript; charset=utf-8', text: script },
    [styleName]: { type: 'text/css; charset=utf-8', text: style },
  };
  return { files: new Map([['console/built/console.json', JSON.stringify(assets)]]), metafile };
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
