import { exitCodes } from '@vouch/platform/process/exitCodes';
import { CommandFault } from '../terminal/commandFault.ts';

/** Explains why the server cannot listen on an IP address and port. */
export function listenFault(error: unknown, host: string, port: number): Error {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new CommandFault(exitCodes.busy, `Port ${port} of ${host} is in use by another program. Set PORT to a free port (0: any), or stop the other program.`);
    case 'EACCES':
      return new CommandFault(exitCodes.usage, `This user has no permission to listen on port ${port} of ${host}. Set PORT to a number above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CommandFault(exitCodes.usage, `${host} is not an IP address of this machine. Set HOST to 127.0.0.1, to 0.0.0.0, or to an IP address of this machine.`);
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}
