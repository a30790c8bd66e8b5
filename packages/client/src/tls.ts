import type { SecureContextOptions } from 'node:tls';
import { check, type TlsOptions } from './options.ts';
import type { ConnectOptions } from './sockets.ts';

/**
 * What a connection takes of `tls`.
 *
 * @throws TypeError when it holds no PEM, or a key of another certificate; the message shows nothing of the key.
 */
export function readTls(tls: TlsOptions = {}): Pick<ConnectOptions, 'secureContext' | 'servername'> {
  const { ca, cert, key, servername } = tls;
  check(!cert === !key, 'tls: pass cert and key together.');
  check(servername === undefined || typeof servername === 'string', 'tls.servername: write a host name.');
  if (ca === undefined && !cert) return { servername };
  // Loaded by those who need them.
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  try {
    // Node ignores an authority that it cannot read.
    for (const one of [ca ?? []].flat()) new X509Certificate(one);
    return { servername, secureContext: createSecureContext({ ca, cert, key } as SecureContextOptions) };
  } catch (error) {
    const { message } = error as Error;
    throw new TypeError(`tls: ${message}. Pass the content of PEM files, the key not encrypted.`);
  }
}
