import { readConfiguration } from './configuration.ts';
import { openPlatform, type OpenPlatform, type OpenOptions } from './openPlatform.ts';

/** Opens the platform for one command and closes it again. Attaches to the database of a running server, or starts it. */
export async function withPlatform<Result>(
  work: (platform: OpenPlatform) => Promise<Result>,
  tables: OpenOptions['tables'] = 'migrate',
): Promise<Result> {
  const given = readConfiguration();
  // A command prints its own result; only what goes wrong is logged beside it.
  const configuration = given.log_level === 'info' ? { ...given, log_level: 'warn' as const } : given;
  const platform = await openPlatform({ configuration, publicUrl: configuration.public_url ?? '', tables });
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
}
