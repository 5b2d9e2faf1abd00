import { readConfiguration } from './configuration.ts';
import { openPlatform, type OpenPlatform, type OpenOptions } from './openPlatform.ts';

/**
 * Opens the platform for one command and closes it afterwards. Connects to the database of a running server, or starts the
 * database.
 */
export async function withPlatform<Result>(
  work: (platform: OpenPlatform) => Promise<Result>,
  tables: OpenOptions['tables'] = 'migrate',
): Promise<Result> {
  const given = readConfiguration();
  // The command prints its own result; the log adds only warnings and errors.
  const configuration = given.log_level === 'info' ? { ...given, log_level: 'warn' as const } : given;
  const platform = await openPlatform({ configuration, publicUrl: configuration.public_url ?? '', tables });
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
}
