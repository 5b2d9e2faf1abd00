import { pino, type Logger as PinoLogger, type DestinationStream } from 'pino';

export type Logger = PinoLogger;

/** Field names whose values never reach a log line, at any depth the serializers produce. */
const secretFields = [
  'apikey', 'key', 'password', 'secret', 'authorization', 'cookie', 'private_key', 'privateKey', 'signature',
];

/**
 * Structured JSON log on standard error, one line per event, with secrets replaced.
 * @param level one of pino's levels; `silent` for tests
 * @param destination another stream, for tests
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
