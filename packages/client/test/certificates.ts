import { generate } from 'selfsigned';

/** A certificate and its private key, both PEM, as `node:tls` takes them. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const ellipticCurve = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
const day = 86_400_000;

/** Makes a certificate authority that no other test and no system knows. */
export async function createAuthority(name: string): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...ellipticCurve,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** How a server's certificate is wrong. */
export interface Flaws {
  /** The name of another host. */
  readonly host?: string;
  readonly expired?: boolean;
  readonly notYetValid?: boolean;
  /** RSA of 1,024 bits; certified by itself. */
  readonly weakKey?: boolean;
  /** A signature over SHA-1. */
  readonly sha1?: boolean;
}

/** Lets an authority, or the certificate itself, certify a server on loopback, or one with a flaw. */
export function certifyServer(
  authority: Certificate | undefined,
  { host, expired = false, notYetValid = false, weakKey = false, sha1 = false }: Flaws = {},
): Promise<Certificate> {
  const loopback = [
    { type: 2, value: 'localhost' },
    { type: 7, ip: '127.0.0.1' },
    { type: 7, ip: '::1' },
  ] as const;
  return certify(authority, host ?? 'localhost', {
    ...(weakKey && { keyType: 'rsa', keySize: 1_024 }),
    ...(sha1 && { algorithm: 'sha1' }),
    notBeforeDate: new Date(Date.now() + (notYetValid ? day : -2 * day)),
    notAfterDate: new Date(Date.now() + (expired ? -day : 2 * day)),
    extensions: [
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: host === undefined ? [...loopback] : [{ type: 2, value: host }] },
    ],
  });
}

/** Lets an authority certify a client. */
export function certifyClient(authority: Certificate): Promise<Certificate> {
  return certify(authority, 'merchant', { extensions: [{ name: 'extKeyUsage', clientAuth: true }] });
}

async function certify(
  ca: Certificate | undefined,
  name: string,
  options: Parameters<typeof generate>[1],
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...ellipticCurve,
    ...options,
    ...(ca && { ca }),
  });
  return { cert: made.cert, key: made.private };
}
