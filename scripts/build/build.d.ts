/** Builds `dist/` if the sources have changed since the last build. Returns the path of the folder. */
export function buildWhereChanged(): Promise<string>;
/**
 * Builds `vouch` with changed sources, for tests that plant faults. Returns the path of the program.
 * @param folder receives `dist/`; its parents must contain the installed packages
 * @param change returns the text of a source, which is named by its path in the checkout
 */
export function buildChanged(folder: string, change: (path: string, text: string) => string): Promise<string>;
