/** Builds `dist/` where the sources are others than those that it was built from; the folder. */
export function buildWhereChanged(): Promise<string>;
