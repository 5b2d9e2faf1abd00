/** Returns the URL to which traces are posted by OTLP over HTTP. @param endpoint base URL of a collector */
export function traceUrl(endpoint: string): string {
  return `${endpoint.replace(/\/+$/, '')}/v1/traces`;
}
