import type { Hex } from '../messages/operation.ts';

/** Location of a key outside of this process. `address` is the key's Ethereum address; null if only the service knows it. */
export type KeyReference =
  | { service: 'awskms'; keyId: string; address: Hex | null }
  /** `version` is the resource name of a CryptoKeyVersion. */
  | { service: 'gcpkms'; version: string; address: Hex | null }
  /** `file` contains the private key, encrypted with the transit key `key` of the engine at `mount`. */
  | { service: 'vault'; mount: string; key: string; file: string; address: Hex | null }
  | { service: 'web3signer'; url: string; tls: TlsFiles; address: Hex };

/** Paths of PEM files: `ca` is the CA of the server's certificate; `cert` and `key` are the client certificate and its key. */
export interface TlsFiles {
  ca?: string;
  cert?: string;
  key?: string;
}

const pin = '#0x[0-9a-fA-F]{40}';
const forms: Readonly<Record<KeyReference['service'], string>> = {
  awskms: `awskms:[A-Za-z0-9:/_-]{1,2048}(?:${pin})?`,
  gcpkms: `gcpkms:projects/[^/#?\\s]+/locations/[^/#?\\s]+/keyRings/[^/#?\\s]+/cryptoKeys/[^/#?\\s]+/cryptoKeyVersions/[0-9]+(?:${pin})?`,
  vault: `vault:[A-Za-z0-9_./-]+/keys/[A-Za-z0-9_.-]+\\?file=[^#\\s]+(?:${pin})?`,
  // No "@": a URL must not contain credentials.
  web3signer: `web3signer:https?://[^@#\\s]+${pin}`,
};

const services = Object.keys(forms) as KeyReference['service'][];

/** Regular expression of all valid key references, for configuration settings. */
export const keyReferencePattern = `(?:${Object.values(forms).join('|')})`;

/** Whether a text has the prefix of a key reference; otherwise it is a private key. */
export function isKeyReference(text: string): boolean {
  return services.some((service) => text.startsWith(`${service}:`));
}

/** Parses a key reference. @throws Error whose message shows the expected form but no part of the text */
export function parseKeyReference(text: string): KeyReference {
  const service = services.find((each) => text.startsWith(`${each}:`));
  if (service === undefined) throw wrongForm('this text has another prefix');
  if (!new RegExp(`^${forms[service]}$`).test(text)) throw wrongForm(`the text with the prefix ${service}: does not`);
  const [rest = '', pinned] = text.slice(service.length + 1).split('#');
  const address = pinned === undefined ? null : (pinned.toLowerCase() as Hex);
  switch (service) {
    case 'awskms':
      return { service, keyId: rest, address };
    case 'gcpkms':
      return { service, version: rest, address };
    case 'vault': {
      const [path = '', file = ''] = rest.split('?file=');
      const place = path.lastIndexOf('/keys/');
      return { service, mount: path.slice(0, place), key: path.slice(place + '/keys/'.length), file, address };
    }
    case 'web3signer':
      return { service, ...parseUrl(rest), address: address as Hex };
  }
}

const examples: Readonly<Record<KeyReference['service'], string>> = {
  awskms: 'awskms:alias/NAME',
  gcpkms: 'gcpkms:projects/P/locations/L/keyRings/R/cryptoKeys/K/cryptoKeyVersions/1',
  vault: 'vault:transit/keys/NAME?file=PATH',
  web3signer: 'web3signer:https://HOST:PORT#0xADDRESS',
};

function wrongForm(why: string): Error {
  return new Error(`A key reference has one of the forms ${Object.values(examples).join(', ')}; ${why}.`);
}

/** Splits the URL of web3signer. Its query contains the paths of TLS files and is not sent to the service. */
function parseUrl(text: string): { url: string; tls: TlsFiles } {
  // The error of `new URL` would contain the text, and a query may contain a token.
  if (!URL.canParse(text)) throw wrongForm('the URL after web3signer: cannot be parsed');
  const url = new URL(text);
  const tls: TlsFiles = {};
  for (const name of ['ca', 'cert', 'key'] as const) {
    const path = url.searchParams.get(name);
    if (path !== null) tls[name] = path;
    url.searchParams.delete(name);
  }
  return { url: url.href, tls };
}
