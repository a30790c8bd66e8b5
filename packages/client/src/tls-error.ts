/** Why a TLS connection failed, and what to do about it. */
export interface TlsErrorExplanation {
  /** The reason, without the source paths of OpenSSL. */
  readonly reason: string;
  /** What to do about it. */
  readonly advice: string;
}

const clientCertificate = 'requires a client certificate: pass it to the client as tls: { cert, key }.';

/** Patterns of code and reason, most specific first. */
const advices: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^CERT_HAS_EXPIRED/, 'The service has to renew its certificate; check the clock of this machine, too.'],
  [/^CERT_NOT_YET_VALID/, 'Check the clock of this machine.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, 'The certificate is that of another host. Check the base URL.'],
  [/^CERT_REVOKED/, 'The service has to renew its certificate.'],
  [
    /SELF_SIGNED|^UNABLE_TO_|^CERT_UNTRUSTED|^INVALID_CA/,
    'If you trust its authority, such as that of your company, set NODE_EXTRA_CA_CERTS to the file of its certificate before Node starts, or pass the certificate to the client as tls: { ca }.',
  ],
  [
    /(?<!dh )key too (weak|small)|digest algorithm too weak/i,
    'The service needs a certificate with a key of RSA 2,048 bits or P-256, signed over SHA-256.',
  ],
  [/(un)?supported protocol|protocol version/i, 'The service has to support TLS 1.2 or 1.3.'],
  [
    /certificate required|alert (no|bad|unsupported) certificate|alert certificate|alert unknown ca/i,
    `The service ${clientCertificate}`,
  ],
  [
    /handshake failure|no shared cipher|dh key too small/i,
    `The service shares no cipher with this machine, or ${clientCertificate}`,
  ],
  [
    /before secure TLS connection/,
    `Does this port serve https? The service may have closed the connection because it ${clientCertificate}`,
  ],
  [/Expected HTTP\//, 'Check the port, and whether the base URL begins with http or https.'],
];

/**
 * Explains an error of a TLS connection: a certificate that Node refuses, a handshake that fails, a port that serves
 * http where https is expected or the reverse. Returns `undefined` for any other error.
 */
export function explainTlsError(error: unknown): TlsErrorExplanation | undefined {
  try {
    const { code, message, reason = message } = Object(error) as Readonly<Record<string, unknown>>;
    const text = String(reason).replace(/[:\s]+$/, '');
    const [, advice] = advices.find(([pattern]) => pattern.test(`${code} ${text}`)) ?? [];
    if (advice) return { reason: text, advice };
    return /^ERR_SSL_/.test(String(code))
      ? { reason: text, advice: 'Does this port serve https?' }
      : undefined;
  } catch {
    // Anything can be thrown, even a value that throws when it is read.
    return undefined;
  }
}

/** The error itself, or one whose message explains that TLS failed. */
export function withTlsAdvice(error: unknown): unknown {
  const explained = explainTlsError(error);
  if (!explained) return error;
  const { name, code } = error as NodeJS.ErrnoException;
  const message = `${explained.reason}. ${explained.advice}`.replace(/\.$/, '');
  // Node has no code of its own for this reason.
  return Object.assign(new Error(message), { name, ...(code !== 'UNSPECIFIED' && { code }) });
}
