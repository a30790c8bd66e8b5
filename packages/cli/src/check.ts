import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { type OrdersClient, OrdersError } from '@orders/client';
import { explainTlsError } from '@orders/client/undici';
import { type ConnectionOptions, connect, isLoopback } from './connection.ts';
import { type CommandInput, describeError, type ExitCode, joinSentences } from './terminal.ts';

/** What one check found. */
interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail' | 'skip';
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Clocks apart by less than this are fine, and certificates that end later; in milliseconds. */
const limits = { skewMs: 30_000, expiryMs: 14 * 86_400_000 };

/** How long connecting may take without `--timeout`, as in the client; in milliseconds. */
const connectMs = 5_000;

/** What is connected to, and how long that may take. */
interface Endpoint {
  readonly url: URL;
  readonly timeoutMs: number;
}

/** Checks one layer after another; those above one that failed are skipped. */
export async function runCheck({
  options,
  terminal,
  env,
}: CommandInput<ConnectionOptions>): Promise<ExitCode> {
  const { client, baseUrl, connector } = await connect(options, {
    terminal,
    env,
    retry: { maxAttempts: 1 },
  });
  const endpoint = { url: new URL(baseUrl), timeoutMs: options.timeout ?? connectMs };
  const { url } = endpoint;
  const findings: Finding[] = [];
  const steps: Readonly<Record<string, () => Promise<readonly Finding[]>>> = {
    DNS: () => checkDns(url),
    TCP: () => checkTcp(endpoint),
    TLS: () => checkTls(endpoint),
    echo: () => checkEcho(client, url),
  };
  for (const [check, step] of Object.entries(steps)) {
    const hasFailed = findings.some(({ result }) => result === 'fail');
    if (hasFailed) findings.push({ check, result: 'skip', message: 'not reached' });
    else if (connector && check !== 'echo')
      findings.push({ check, result: 'skip', message: `not checked, since --config sets ${connector}` });
    else findings.push(...(await terminal.waitFor(`${check} of ${url.host}`, step())));
  }
  await client.close();
  const ok = findings.every(({ result }) => result !== 'fail');
  const colours = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'gray' } as const;
  await terminal.report({ ok, baseUrl, checks: findings }, async () => [
    `Checking ${baseUrl}`,
    ...(await terminal.table(
      findings.map(({ check, result, message, advice }) => [
        terminal.style(colours[result], result),
        check,
        advice === undefined ? message : joinSentences(message, advice),
      ]),
    )),
  ]);
  return ok ? 0 : 1;
}

async function checkDns({ hostname }: URL): Promise<readonly Finding[]> {
  const startedAt = performance.now();
  try {
    const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
    const message = `${found.map(({ address }) => address).join(', ')} in ${since(startedAt)}`;
    return [{ check: 'DNS', result: 'ok', message }];
  } catch (error) {
    const advice = `Is the host name right? ${proxyAdvice}`;
    return [{ check: 'DNS', result: 'fail', message: `${hostname}: ${describeError(error)}`, advice }];
  }
}

const proxyAdvice = 'Behind a proxy, set proxy in --config: HTTPS_PROXY is not read.';

async function checkTcp({ url, timeoutMs }: Endpoint): Promise<readonly Finding[]> {
  const { host, port } = endpointOf(url);
  const startedAt = performance.now();
  const socket = connectTcp({ host, port });
  try {
    await opened(socket, 'connect', timeoutMs);
    return [{ check: 'TCP', result: 'ok', message: `port ${port} in ${since(startedAt)}` }];
  } catch (error) {
    const advice = `Is the port right, and does a firewall let you out? ${proxyAdvice}`;
    return [{ check: 'TCP', result: 'fail', message: `port ${port}: ${describeError(error)}`, advice }];
  } finally {
    socket.destroy();
  }
}

async function checkTls(endpoint: Endpoint): Promise<readonly Finding[]> {
  const { url } = endpoint;
  if (url.protocol === 'http:') {
    if (isLoopback(url)) return [{ check: 'TLS', result: 'ok', message: 'plain http, on this machine' }];
    return [{ check: 'TLS', result: 'warn', message: 'plain http: the network between can read the key' }];
  }
  try {
    return [await overTls(endpoint, true, describeTls)];
  } catch (error) {
    const { reason, advice } = explainTlsError(error) ?? {
      reason: describeError(error),
      advice: 'Does this port serve https?',
    };
    // Where the certificate was refused, a connection that accepts any shows whose it is.
    const certificate = await overTls(endpoint, false, describeCertificate).catch(() => undefined);
    const message = certificate === undefined ? reason : `${reason}: ${certificate}`;
    return [{ check: 'TLS', result: 'fail', message, advice }];
  }
}

/** Describes a TLS connection. Rejects when it fails, takes too long, or its certificate is refused. */
async function overTls<Described>(
  { url, timeoutMs }: Endpoint,
  rejectUnauthorized: boolean,
  describe: (socket: TLSSocket) => Described,
): Promise<Described> {
  const { host, port } = endpointOf(url);
  // A name alone may be sent as the server name.
  const servername = isIP(host) ? '' : host;
  const socket = connectTls({ host, port, servername, rejectUnauthorized });
  try {
    await opened(socket, 'secureConnect', timeoutMs);
    return describe(socket);
  } finally {
    socket.destroy();
  }
}

function describeCertificate(socket: TLSSocket): string {
  const { subject, issuer } = socket.getPeerCertificate() as Partial<DetailedPeerCertificate>;
  return `certificate of ${subject?.CN ?? 'no name'}, issued by ${issuer?.O ?? issuer?.CN ?? 'no name'}`;
}

function describeTls(socket: TLSSocket): Finding {
  const { valid_to: until } = socket.getPeerCertificate() as Partial<DetailedPeerCertificate>;
  const days = Math.floor((Date.parse(until ?? '') - Date.now()) / 86_400_000);
  const message = `${socket.getProtocol()}, ${describeCertificate(socket)}, valid for ${days} days`;
  if (days * 86_400_000 >= limits.expiryMs) return { check: 'TLS', result: 'ok', message };
  return { check: 'TLS', result: 'warn', message, advice: 'The service should renew it soon.' };
}

/** How many echoes show the latency. */
const echoCount = 5;

async function checkEcho(client: OrdersClient, url: URL): Promise<readonly Finding[]> {
  const times: number[] = [];
  let headers: Readonly<Record<string, unknown>> = {};
  let status = 0;
  let serverAheadMs: number | undefined;
  try {
    for (let number = 0; number < echoCount; number++) {
      const startedAt = performance.now();
      ({ headers, status } = await client.echo());
      times.push(performance.now() - startedAt);
      const date = Date.parse(String(headers['date']));
      if (!Number.isNaN(date)) serverAheadMs = date - Date.now();
    }
  } catch (error) {
    if (!(error instanceof OrdersError)) throw error;
    return [{ check: 'echo', result: 'fail', ...explainEcho(error, url) }];
  }
  const [slowest = 0] = times.toSorted((one, other) => other - one);
  const median = times.toSorted((one, other) => one - other)[Math.floor(echoCount / 2)] ?? 0;
  const latency = `${Math.round(median)} ms (median of ${echoCount}), ${Math.round(slowest)} ms (slowest)`;
  const limited = Object.entries(headers).filter(([name]) => /^(x-)?rate-?limit|^retry-after$/.test(name));
  return [
    {
      check: 'echo',
      result: 'ok',
      message: `${status}: the key is accepted. Its type shows with an update.`,
    },
    { check: 'latency', result: 'ok', message: latency },
    describeClock(serverAheadMs),
    {
      check: 'rate limit',
      result: 'ok',
      message: limited.map(([name, value]) => `${name}: ${value}`).join(', ') || 'no headers say one',
    },
  ];
}

function explainEcho(error: OrdersError, { protocol }: URL): Pick<Finding, 'message' | 'advice'> {
  const { message } = error;
  const status = 'status' in error ? error.status : undefined;
  if (/HTML page|media type/.test(message))
    return { message, advice: 'A proxy or another site responded: check the base URL.' };
  if (status === 401 || status === 403)
    return { message, advice: 'Is it the private key, and of this environment?' };
  if (status === 404) return { message, advice: 'Check the base URL: it is what comes before /v2.' };
  if (error.code === 'timeout') return { message, advice: 'Try again, or raise --timeout.' };
  if (error.code === 'connection_error' && error.outcome === 'unknown')
    return {
      message,
      advice:
        protocol === 'http:'
          ? 'Does this port serve https?'
          : 'Try again; if it stays, ask the service whether it requires a client certificate.',
    };
  return { message, advice: 'Try again; if it stays, ask the service.' };
}

function describeClock(serverAheadMs: number | undefined): Finding {
  const check = 'clock';
  if (serverAheadMs === undefined)
    return { check, result: 'skip', message: 'the service sends no Date header' };
  // The header has no fractions of a second.
  const seconds = Math.round(Math.abs(serverAheadMs) / 1_000);
  const message =
    seconds < 2
      ? 'as that of the service'
      : `${seconds} s ${serverAheadMs > 0 ? 'behind' : 'ahead of'} that of the service`;
  if (Math.abs(serverAheadMs) < limits.skewMs) return { check, result: 'ok', message };
  return { check, result: 'warn', message, advice: 'Synchronise the clock of this machine.' };
}

function endpointOf({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** Waits until a socket is open. @throws Error when it fails or takes too long. */
async function opened(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<void> {
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no response within ${timeoutMs / 1_000} s`)));
  await once(socket, event);
}

function since(startedAt: number): string {
  return `${Math.round(performance.now() - startedAt)} ms`;
}
