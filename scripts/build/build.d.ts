/** Builds `dist/` if the sources have changed since the last build. Returns the path of the folder. */
export function buildWhereChanged(): Promise<string>;
