import { platformErrors } from '../errors/platformErrors.ts';
import type { EndedKey } from '../keys/keyRecords.ts';
import type { KeyBrake } from './keyBrake.ts';

/** Finds the end of a refused key; null for a key that never was valid. */
export type FindEnded = (key: string) => Promise<EndedKey | null>;

/**
 * Refuses a key, and tells its holder how the key ended. Only who has the whole key learns its name.
 * @param address IP address of the sender, whose wrong keys are counted
 * @throws Problem `unknown-key`, `expired-key`, `revoked-key` or `too-many-wrong-keys`
 */
export async function refuseKey(key: string, address: string, { brake, findEnded }: { brake: KeyBrake; findEnded?: FindEnded | undefined }): Promise<never> {
  const tooMany = brake.count(address);
  if (tooMany !== null) throw tooMany;
  const ended = (await findEnded?.(key)) ?? null;
  if (ended === null) throw platformErrors.problem('unknown-key', 'The server does not know this API key. Check that you sent the whole key, and that this server created it.');
  const name = ended.name === '' ? ended.id : JSON.stringify(ended.name);
  const mend = ended.isReplaced ? 'Use the key that replaced it, or create' : 'Create';
  throw platformErrors.problem(
    ended.how === 'expired' ? 'expired-key' : 'revoked-key',
    `The API key ${name} ${ended.how === 'expired' ? 'expired' : 'was revoked'} at ${ended.endedAt.toISOString()}. ${mend} a key with \`vouch keys create\` or on the page Keys of the console.`,
  );
}
