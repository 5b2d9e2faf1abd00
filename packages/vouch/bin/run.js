// Runs the program in this process. Source maps make stack traces show the lines of the sources.
process.setSourceMapsEnabled(true);
await import('../main.ts');
