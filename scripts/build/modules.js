/**
 * esbuild options of programs and packages whose files are JavaScript modules that share parts. Licenses are not in the files, but in a file of their own.
 * @type {import('esbuild').BuildOptions & { metafile: true, write: false }}
 */
export const modules = {
  chunkNames: 'part-[hash]', bundle: true, splitting: true, write: false, metafile: true, format: 'esm', legalComments: 'none', logLevel: 'silent',
};
