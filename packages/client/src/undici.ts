/**
 * Connections of your own for `dispatcher`, such as a proxy or mutual TLS: classes of [undici](https://undici.nodejs.org),
 * in the version that the client uses.
 *
 * @packageDocumentation
 */
export { Agent, type Dispatcher, EnvHttpProxyAgent, MockAgent, ProxyAgent } from 'undici';
