/** Parser of a configuration value. Values from flags and from the file are both text, so both follow the same rules. */
export interface ValueType<Value> {
  /** Allowed values, as the end of the sentence "it must be …". */
  range: string;
  /** @returns undefined if the text is not allowed */
  parse(text: string): Value | undefined;
}

/** Integer in decimal digits, from `minimum` to `maximum`. 0x10, 1e3 and 1_000 are rejected, because programs read these forms differently. */
export function integer(minimum: number, maximum: number): ValueType<number> {
  return {
    range: `an integer from ${minimum} to ${maximum}`,
    parse: (text) => within(/^\d{1,16}$/.test(text) ? Number(text) : NaN, minimum, maximum),
  };
}

function within(value: number, minimum: number, maximum: number): number | undefined {
  return value >= minimum && value <= maximum ? value : undefined;
}

export const truth: ValueType<boolean> = {
  range: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

export function text(maxLength: number): ValueType<string> {
  return {
    range: `text of 1 to ${maxLength} characters without line breaks`,
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    parse: (value) => (value.length >= 1 && value.length <= maxLength && !/[\u0000-\u001f\u007f]/.test(value) ? value : undefined),
  };
}

export function oneOf<const Name extends string>(names: readonly Name[]): ValueType<Name> {
  return { range: names.slice(0, -1).join(', ') + ` or ${names.at(-1)}`, parse: (value) => names.find((name) => name === value) };
}

/** Hex text of `count` bytes, with or without 0x. The parsed value is lower case with 0x. */
export function hexBytes(count: number, what: string): ValueType<`0x${string}`> {
  const pattern = new RegExp(`^(?:0x)?([0-9a-fA-F]{${2 * count}})$`);
  return {
    range: `${what}: ${2 * count} hex digits, usually after 0x`,
    parse: (value) => {
      const digits = pattern.exec(value)?.[1];
      return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
    },
  };
}

/** An http(s) URL without a fragment. Trailing slashes are removed. */
export const httpAddress: ValueType<string> = {
  range: 'an http(s) URL such as https://gateway.example',
  parse: (value) => {
    if (value.length > 2_048 || /\s/.test(value) || !URL.canParse(value)) return undefined;
    const { protocol, hash } = new URL(value);
    return (protocol === 'http:' || protocol === 'https:') && hash === '' ? value.replace(/\/+$/, '') : undefined;
  },
};

/** Listening address that only this machine can reach. */
export interface LoopbackAddress {
  host: string;
  port: number;
}

/** A loopback IP address with a port. 0.0.0.0 and host names are rejected, because other machines could then reach the server. */
export const loopbackAddress: ValueType<LoopbackAddress> = {
  range: 'a loopback IP address with a port, such as 127.0.0.1:9464 or [::1]:9464',
  parse: (value) => {
    const [, four, six, digits] = /^(?:(127(?:\.\d{1,3}){3})|\[(::1)\]):(\d{1,5})$/.exec(value) ?? [];
    const [host, port] = [four ?? six, Number(digits)];
    return host !== undefined && port >= 1 && port <= 65_535 && host.split('.').every((part) => part === '::1' || Number(part) <= 255) ? { host, port } : undefined;
  },
};
