/** Files that the build reads, as a pattern for each folder. */
export const readByBuild: Readonly<Record<string, RegExp>>;
