export { Agent, type Dispatcher, EnvHttpProxyAgent, MockAgent, ProxyAgent } from 'undici';
