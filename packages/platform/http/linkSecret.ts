import type { Connection } from '../database/database.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { LinkSigner } from './signedLink.ts';

/** As many bytes as the hash of the HMAC. */
const secretBytes = 32;

/** Opens the signer of this deployment. All processes share its secret, which the first call creates and stores in the database. */
export async function openLinkSigner(connection: Connection, system: Pick<SystemInterfaces, 'clock' | 'random'>): Promise<LinkSigner> {
  await connection.query('INSERT INTO link_secret (secret) VALUES ($1) ON CONFLICT DO NOTHING', [
    system.random.bytes(secretBytes).toString('base64'),
  ]);
  const { rows } = await connection.query<{ secret: string }>('SELECT secret FROM link_secret');
  return new LinkSigner(Buffer.from(rows[0]?.secret ?? '', 'base64'), system.clock);
}
