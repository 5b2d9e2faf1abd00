import type { Connection } from '@vouch/platform/database/database';
import { openLinkSigner } from '@vouch/platform/http/linkSecret';
import type { LinkSigner } from '@vouch/platform/http/signedLink';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';

const hourMs = 3_600_000;
/** Minimum validity of links in answers, ms. */
export const statusLinkMs = 24 * hourMs;
/** Minimum validity of links in callbacks, ms: a callback may arrive a day late, and people may read it later still. */
export const hookLinkMs = 7 * 24 * hourMs;

/** Path of a run's file, without the signature. */
export function artifactPath(runId: string, name: string): string {
  return `/v1/artifacts/${runId}/${encodeURIComponent(name)}`;
}

/** Makes and checks the links to the files of runs. */
export class ArtifactLinks {
  private readonly connection: Connection;
  private readonly system: Pick<SystemInterfaces, 'clock' | 'random'>;
  private readonly publicUrl: string;
  private opened: Promise<LinkSigner> | null = null;

  /** @param publicUrl base URL of the links, without a trailing slash */
  constructor(connection: Connection, system: Pick<SystemInterfaces, 'clock' | 'random'>, publicUrl: string) {
    this.connection = connection;
    this.system = system;
    this.publicUrl = publicUrl;
  }

  /**
   * Returns a function that makes links to files. The links need no key and work for at least `milliseconds`. Links made
   * within the same hour are equal, so a page that polls the status does not load the pictures again.
   */
  async signer(milliseconds: number): Promise<(runId: string, name: string) => string> {
    const links = await this.open();
    const expiresAt = Math.ceil((this.system.clock.now() + milliseconds) / hourMs) * hourMs;
    return (runId, name) => this.publicUrl + links.sign(artifactPath(runId, name), expiresAt);
  }

  /** Opens the signer once; after a failure, the next call tries again. */
  open(): Promise<LinkSigner> {
    this.opened ??= openLinkSigner(this.connection, this.system).catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }
}
