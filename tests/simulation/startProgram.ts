import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Order, Said } from './program.ts';

/**
 * Runs a bundle of the simulation as a program of its own, so that its faults cannot harm the caller.
 * @param hear gets each line of the output as soon as it arrives
 * @throws Error if the program ends with an error
 */
export async function startProgram(bundle: string, order: Order, hear: (said: Said) => void): Promise<void> {
  const child = spawn(process.execPath, ['--enable-source-maps', bundle, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => { errors = (errors + text).slice(-4_000); });
  const ended = new Promise<number | null>((resolve) => { child.once('close', resolve); });
  for await (const line of createInterface({ input: child.stdout })) hear(JSON.parse(line) as Said);
  const code = await ended;
  if (code !== 0) throw new Error(`the simulation ended with ${code}: ${errors}`);
}
