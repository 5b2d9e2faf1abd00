import { pino, type Logger as PinoLogger, type DestinationStream } from 'pino';

export type Logger = PinoLogger;

/** Names of secret fields. Their values are masked in log lines, at the top level and up to two levels deeper. */
const secretFields = [
  'apikey', 'key', 'password', 'secret', 'authorization', 'cookie', 'private_key', 'privateKey', 'signature',
];

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
    destination ?? pino.destination({ fd: 2, sync: false }),
  );
}
