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

/** Lets an authority certify a server on loopback, or one of another host name or of another time. */
export function certifyServer(
  authority: Certificate,
  { host, expired = false }: { host?: string; expired?: boolean } = {},
): Promise<Certificate> {
  const loopback = [
    { type: 2, value: 'localhost' },
    { type: 7, ip: '127.0.0.1' },
  ] as const;
  return certify(authority, host ?? 'localhost', {
    notBeforeDate: new Date(Date.now() - 2 * day),
    notAfterDate: new Date(Date.now() + (expired ? -day : day)),
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
  ca: Certificate,
  name: string,
  options: Parameters<typeof generate>[1],
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: name }], { ...ellipticCurve, ...options, ca });
  return { cert: made.cert, key: made.private };
}
