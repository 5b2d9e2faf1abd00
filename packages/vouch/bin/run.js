// Runs the program in this process. A stack names lines of the sources.
process.setSourceMapsEnabled(true);
await import('../main.ts');
