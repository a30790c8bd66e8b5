/**
 * Connections of your own for `dispatcher`, such as a proxy or mutual TLS: classes of [undici](https://undici.nodejs.org),
 * in the version that the client uses, and what their TLS errors mean.
 *
 * @packageDocumentation
 */
import './node-version.ts';

export { Agent, type Dispatcher, EnvHttpProxyAgent, MockAgent, ProxyAgent } from 'undici';
export { explainTlsError, type TlsErrorExplanation } from './tls-error.ts';
