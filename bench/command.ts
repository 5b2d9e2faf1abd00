/** `npm run -s bench -- <name> …`: runs a benchmark that prints its results in one line. */
const commands: Readonly<Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>>> = {
  recommend: () => import('./recommender/recommend.ts'),
};

const [, , name = '', ...args] = process.argv;
const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (load === undefined) {
  console.error(`bench ${name} is not known; there is: ${Object.keys(commands).join(', ')}. bench/README.md lists the others with their commands.`);
  process.exitCode = 2;
} else {
  try {
    await (await load()).run(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
