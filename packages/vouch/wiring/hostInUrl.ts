/** Returns the host of a URL at which programs on this machine reach a server that listens on `host`. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
