import type { Connection } from '@vouch/platform/database/database';
import { openLinkSigner } from '@vouch/platform/http/linkSecret';
import type { LinkSigner } from '@vouch/platform/http/signedLink';
import type { SystemInterfaces } from '@vouch/platform/process/doors';

const hourMs = 3_600_000;
/** How long a link of an answer works at least. */
export const statusLinkMs = 24 * hourMs;
/** A hook may be delivered a day late, and is read by people later still. */
export const hookLinkMs = 7 * 24 * hourMs;

/** The path of a run's file, without its signature. */
export function artifactPath(runId: string, name: string): string {
  return `/v1/artifacts/${runId}/${encodeURIComponent(name)}`;
}

/** Makes and checks the links to the files of runs. */
export class ArtifactLinks {
  private readonly connection: Connection;
  private readonly doors: Pick<SystemInterfaces, 'clock' | 'random'>;
  private readonly publicUrl: string;
  private opened: Promise<LinkSigner> | null = null;

  /** @param publicUrl without a slash at its end */
  constructor(connection: Connection, doors: Pick<SystemInterfaces, 'clock' | 'random'>, publicUrl: string) {
    this.connection = connection;
    this.doors = doors;
    this.publicUrl = publicUrl;
  }

  /**
   * Makes addresses of files that work for at least `milliseconds` without a key. All of one hour are the same, so that a
   * page that asks for the status again and again does not load the pictures anew.
   */
  async signer(milliseconds: number): Promise<(runId: string, name: string) => string> {
    const links = await this.open();
    const expiresAt = Math.ceil((this.doors.clock.now() + milliseconds) / hourMs) * hourMs;
    return (runId, name) => this.publicUrl + links.sign(artifactPath(runId, name), expiresAt);
  }

  /** The signer itself; a failed opening is tried again. */
  open(): Promise<LinkSigner> {
    this.opened ??= openLinkSigner(this.connection, this.doors).catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }
}
