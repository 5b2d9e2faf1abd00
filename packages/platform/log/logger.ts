import { pino, type Logger as PinoLogger, type DestinationStream } from 'pino';

export type Logger = PinoLogger;

/** Names of secret fields. Their values are masked in log lines, at the top level and up to two levels deeper. */
const secretFields = [
  'apikey', 'key', 'password', 'secret', 'authorization', 'cookie', 'private_key', 'privateKey', 'signature',
];

/** Maximum characters of log lines that wait until they can be written. */
const maxWaiting = 4 * 2 ** 20;

/**
 * Creates a logger that writes structured JSON with masked secrets to standard error, one line per event.
 * @param level one of pino's levels; `silent` for tests
 * @param destination another stream
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[secret]',
      },
    },
    destination ?? standardError(),
  );
}

/** All loggers of the process write to one stream. */
let shared: DestinationStream | null = null;

/** Standard error. Lines that cannot be written, for example because the disk of the log is full, wait for the next line; beyond `maxWaiting`, new lines are lost. */
function standardError(): DestinationStream {
  shared ??= openStandardError();
  return shared;
}

function openStandardError(): DestinationStream {
  const stream = pino.destination({ fd: 2, sync: false, maxLength: maxWaiting });
  let isStuck = false;
  // Without a listener, the error would end the process.
  stream.on('error', () => { isStuck = true; });
  stream.on('write', () => { isStuck = false; });
  // At the end of the process, the stream would try again until its lines are written.
  const giveUp = (): void => { if (isStuck) stream.destroy(); };
  process.prependListener('beforeExit', giveUp);
  process.prependListener('exit', giveUp);
  return stream;
}
