import type { Fault, FaultRule } from '@orders/testing';
import { haproxy, nginx, type ProxySetup, varnish } from './proxies.ts';
import { concurrency, type Evidence, type Experiment, type Servers } from './run-experiment.ts';

const oneInFive = (fault: Fault): readonly FaultRule[] => [{ when: 'sometimes', probability: 0.2, fault }];
const resetsAfterApplying = oneInFive({ type: 'reset_after_applying' });
const resetsBefore = { faults: [oneInFive({ type: 'reset_before_applying' })] };
const tooSlow = oneInFive({ type: 'latency', ms: 500 });

const got = (status: number): Evidence => ({
  missing: `no attempt got ${status}`,
  holds: ({ calls }) => calls.some(({ attempts }) => attempts.some((attempt) => attempt.status === status)),
});
const failedApplied: Evidence = {
  missing: 'no call failed whose update was applied',
  holds: ({ calls }) => calls.some(({ outcome, applied }) => outcome !== 'success' && applied > 0),
};
const failedUnapplied: Evidence = {
  missing: 'no call failed whose update was not applied',
  holds: ({ calls }) => calls.some(({ outcome, applied }) => outcome !== 'success' && applied === 0),
};
const allSucceeded: Evidence = {
  missing: 'some call failed',
  holds: ({ calls }) => calls.every(({ outcome }) => outcome === 'success'),
};
const lostConnections: Evidence = {
  missing: 'the proxy closed hardly any connection of the client',
  holds: ({ connections }) => connections > 1.5 * concurrency,
};
const happened: Evidence = {
  missing: 'it did not happen while calls were made',
  holds: ({ disturbances }) => disturbances > 0,
};

type More = Omit<Partial<Experiment>, 'name' | 'setup'>;

/** Updates that are applied without a response: the back end resets 1 in 5 connections, if nothing else is given. */
const resets = (name: string, setup: ProxySetup, status?: number, more: More = {}): Experiment => ({
  name,
  setup,
  faults: [resetsAfterApplying],
  evidence: status === undefined ? [failedApplied] : [got(status), failedApplied],
  ...more,
});
/** Requests that end before the back end applies the update. */
const refuses = (name: string, setup: ProxySetup, status?: number, more: More = {}): Experiment => ({
  name,
  setup,
  evidence: status === undefined ? [failedUnapplied] : [got(status), failedUnapplied],
  ...more,
});
/** The same with a 429, after which the client may retry, so that every call may succeed. */
const limits = (name: string, setup: ProxySetup, more: More = {}): Experiment => ({
  name,
  setup,
  calls: 60,
  evidence: [got(429)],
  ...more,
});
/** For 429s that are drawn: no pace avoids them, so each slows the client down, and chance alone would decide how far. */
const resumes = { everyMs: 100, run: async ({ orders }: Servers) => orders.resume() };
const succeeds = (name: string, setup: ProxySetup, more: More = {}): Experiment => ({
  name,
  setup,
  evidence: [allSucceeded],
  ...more,
});
/** Calls that find the connection that they use closed by the proxy, or about to be. */
const idleCloses = (name: string, setup: ProxySetup, ...evidence: readonly Evidence[]): Experiment => ({
  name: `${name}, a call each second`,
  setup,
  latencyMs: 40,
  pauseMs: [985, 1_030],
  evidence: [lostConnections, ...evidence],
});
/** Something happens again and again while calls are made. */
const disturbed = (
  name: string,
  setup: ProxySetup,
  disturb: NonNullable<Experiment['disturb']>,
  ...evidence: readonly Evidence[]
): Experiment => ({
  name,
  setup,
  latencyMs: 60,
  pauseMs: [150, 350],
  disturb,
  evidence: [happened, ...evidence],
});
const killsBackend = {
  everyMs: 700,
  async run({ killBackend, callFails, startBackend }: Servers) {
    await killBackend();
    // HAProxy tries to connect for some seconds, so a back end that is soon there again fails no call.
    await callFails();
    await startBackend();
  },
};
const restarts = { everyMs: 400, run: ({ proxy }: Servers) => proxy.restart() };
const reloads = { everyMs: 150, run: ({ proxy }: Servers) => proxy.reload() };

/** A configuration whose effect no client can see. */
const exception = (experiment: Experiment, why: string, instead: string): Experiment => ({
  ...experiment,
  evidence: [],
  exception: { why, instead },
});

/** What can happen with any proxy as it comes; `slow` has a time limit of 200 ms, `status` is for a broken back end. */
const withAny = (setup: ProxySetup, slow: ProxySetup, { status = 502, late = 504, down = 502 } = {}) => [
  disturbed('back end killed and restarted', setup, killsBackend, failedApplied, failedUnapplied),
  disturbed('proxy stopped at once and started again', setup, restarts, lostConnections, failedApplied),
  resets('back end resets after applying', setup, status),
  resets('responses cut off', setup, undefined, { faults: [oneInFive({ type: 'truncation' })] }),
  resets('time limit shorter than the back end takes', slow, late, { faults: [tooSlow] }),
  refuses('back end resets kept connections', setup, undefined, {
    faults: [oneInFive({ type: 'reset_on_reuse' })],
  }),
  refuses('back end down', setup, down, { backends: 0, calls: 2 * concurrency }),
];

const seenAs2xx =
  'A 2xx in JSON, or without a body, is what the service sends for an update that it applied.';
const seenAs4xx =
  'A 4xx that is not an HTML page with 403, 404, 405 or 410 reads as a refusal by the service.';
const seenAs429 = 'A 429 reads as "not applied, try later", so the client itself sends the update again.';
const sentByProxy = 'The proxy itself sends the PATCH again, and the client gets one success.';

const keptUpstream = {
  upstream: 'keepalive 32;',
  location: 'proxy_http_version 1.1; proxy_set_header Connection "";',
};
const retryAfter = 'add_header Retry-After 1 always;';
const limited = {
  http: 'limit_req_zone $server_port zone=all:1m rate=50r/s; limit_req_status 429;',
  location: 'limit_req zone=all burst=5 nodelay;',
};
const chunked = nginx({ location: 'sub_filter_types application/json; sub_filter physical physical;' });
/** What nginx sends instead of its own 502 and 504: `page.html`, or what is configured for `@page`. */
const errorPage = (change: string, { page = '', named = '' } = {}) =>
  nginx({ server: `error_page 502 504 ${change}; location @page { ${named} }`, page });
const jsonPage = (status: number) =>
  errorPage(`=${status} @page`, {
    named: `default_type application/json; ${retryAfter} return ${status} '{}';`,
  });
const htmlPage = (status: number, page = '') => errorPage(`=${status} /page.html`, { page });
const tryFile = (file: string) => errorPage('= @page', { named: `try_files ${file} =404;` });
const useErrorPage = 'error_page with a status from 500 to 504 for a failed back end';

const onNginx: readonly Experiment[] = [
  ...withAny(nginx(keptUpstream), nginx({ location: 'proxy_read_timeout 200ms;' })),
  disturbed('reload in a loop', nginx(), reloads, lostConnections),
  resets('HTTP/1.0 to the back end, which resets after applying', nginx(), 502),
  resets('two back ends, one resets (default proxy_next_upstream)', nginx(), 502, { backends: 2 }),
  resets('garbage from the back end after applying', nginx(), undefined, {
    faults: [oneInFive({ type: 'garbage', text: 'HTTP/9 no\r\n\r\n', applied: true })],
  }),
  refuses('reset before the body is read', nginx({ location: 'proxy_request_buffering off;' }), 502, {
    faults: [oneInFive({ type: 'reset_before_body' })],
  }),
  resets('client gives up before the back end responds', nginx(), undefined, {
    timeouts: { attempt: 250 },
    faults: [tooSlow],
  }),
  idleCloses('keepalive_timeout 1s', nginx({ server: 'keepalive_timeout 1s;' })),
  idleCloses(
    'keepalive_timeout 1s 1s (announced)',
    nginx({ server: 'keepalive_timeout 1s 1s;' }),
    allSucceeded,
  ),
  succeeds('keepalive_timeout 0: Connection: close', nginx({ server: 'keepalive_timeout 0;' }), {
    evidence: [lostConnections, allSucceeded],
  }),
  succeeds('chunked responses', chunked),
  resets('chunked responses cut off', chunked, undefined, { faults: [oneInFive({ type: 'truncation' })] }),
  succeeds('gzip from the back end, unpacked by gunzip', nginx({ location: 'gunzip on;' }), {
    faults: [[{ when: 'always', fault: { type: 'gzip_bomb', bytes: 4_096 } }]],
  }),
  resets('error_page: 503 with Retry-After, HTML', htmlPage(503, retryAfter), 503),
  resets('error_page: 503 with Retry-After, JSON', jsonPage(503), 503),
  resets('error_page: static HTML page with 403', htmlPage(403), 403),
  resets('error_page: static HTML page with 410', htmlPage(410), 410),
  resets('error_page: missing file (404)', tryFile('/missing.html'), 404),
  resets('error_page: static file for a PATCH (405)', tryFile('/page.html'), 405),
  resets('error_page: 404 without a media type', htmlPage(404, `types {} default_type '';`), 404),
  resets('error_page: static HTML page with 200', htmlPage(200), 200),
  resets('error_page: redirect to a status page', errorPage('https://status.example/'), 302),
  resets('error_page: connection closed (444)', errorPage('= @page', { named: 'return 444;' })),
  resets(
    'proxy_intercept_errors: 500 after applying becomes 503',
    nginx({ server: 'error_page 500 =503 /page.html;', location: 'proxy_intercept_errors on;' }),
    503,
    { faults: [oneInFive({ type: 'status', status: 500, applied: true })] },
  ),
  refuses(
    'maintenance for half of the calls: 503 with Retry-After, HTML',
    nginx({
      server: 'error_page 503 /page.html;',
      location: 'if ($msec ~ [0-4]$) { return 503; }',
      page: retryAfter,
    }),
    503,
  ),
  limits('limit_req: 429', nginx(limited)),
  limits('limit_req: 429 with Retry-After', nginx({ ...limited, server: retryAfter })),
  refuses('client_max_body_size: 413', nginx({ server: 'client_max_body_size 4k;' }), 413, {
    largeBodies: true,
  }),
  refuses('client_body_timeout', nginx({ server: 'client_body_timeout 150ms;' }), undefined, {
    slowBodyMs: 400,
  }),
  refuses('deny all', nginx({ location: 'deny all;' }), 403),
  exception(
    resets(
      'proxy_next_upstream non_idempotent, two back ends',
      nginx({ location: 'proxy_next_upstream error timeout non_idempotent;' }),
      undefined,
      { backends: 2 },
    ),
    sentByProxy,
    'proxy_next_upstream without non_idempotent, the default',
  ),
  exception(refuses('error_page: 200 in JSON', jsonPage(200), 200, resetsBefore), seenAs2xx, useErrorPage),
  exception(
    refuses('error_page: 204', errorPage('=204 @page', { named: 'return 204;' }), 204, resetsBefore),
    seenAs2xx,
    useErrorPage,
  ),
  exception(resets('error_page: 404 in JSON', jsonPage(404)), seenAs4xx, useErrorPage),
  exception(
    resets('error_page: 404 in plain text', errorPage('=404 @page', { named: `return 404 'Not found';` })),
    seenAs4xx,
    useErrorPage,
  ),
  exception(resets('error_page: static HTML page with 400', htmlPage(400)), seenAs4xx, useErrorPage),
  exception(
    resets('error_page: 429 for a failed back end', htmlPage(429), 429, { calls: 60, disturb: resumes }),
    seenAs429,
    `${useErrorPage}; 429 by limit_req_status only`,
  ),
];

const oneIn = (count: number) => `if { rand(${count}) eq 0 }`;
const denyResponse = (status: number) =>
  haproxy({ frontend: `http-response deny deny_status ${status} ${oneIn(4)}` });
const denyRequest = (status: number) =>
  haproxy({ frontend: `http-request deny deny_status ${status} ${oneIn(4)}` });
const retryAll = 'retry-on all-retryable-errors';
const doNotRetry = 'http-request disable-l7-retry if { method PATCH }';
const useDefaultRetry = `retry-on conn-failure, the default, or "${doNotRetry}"`;

const onHaproxy: readonly Experiment[] = [
  ...withAny(haproxy(), haproxy({ backend: 'timeout server 200ms' }), { down: 503 }),
  disturbed('reload (-sf) in a loop', haproxy(), reloads, lostConnections),
  resets('http-reuse always, back end resets after applying', haproxy({ backend: 'http-reuse always' })),
  resets('option redispatch, two back ends, one resets', haproxy({ backend: 'option redispatch 1' }), 502, {
    backends: 2,
  }),
  resets(`${retryAll}, disable-l7-retry`, haproxy({ backend: `${retryAll}\n  ${doNotRetry}` })),
  refuses('timeout queue', haproxy({ backend: 'timeout queue 60ms', server: 'maxconn 2' }), 503, {
    latencyMs: 30,
  }),
  idleCloses('timeout http-keep-alive 1s', haproxy({ frontend: 'timeout http-keep-alive 1s' })),
  succeeds('option httpclose: Connection: close', haproxy({ frontend: 'option httpclose' }), {
    evidence: [lostConnections, allSucceeded],
  }),
  resets(
    'errorfile: 503 with Retry-After, HTML',
    haproxy({ backend: 'errorfile 502 DIR/503-html.http' }),
    503,
  ),
  resets(
    'errorfile: 503 with Retry-After, JSON',
    haproxy({ backend: 'errorfile 502 DIR/503-json.http' }),
    503,
  ),
  refuses(
    'maintenance for 1 in 4: 503 with Retry-After, JSON',
    haproxy({
      frontend: `http-request return status 503 content-type application/json string '{}' hdr Retry-After 1 ${oneIn(4)}`,
    }),
    503,
  ),
  limits('http-request deny 429', denyRequest(429), { disturb: resumes }),
  refuses('http-request deny 403', denyRequest(403), 403),
  resets('http-response deny 502 after applying', denyResponse(502), 502, { faults: [] }),
  resets('http-response deny 403 after applying', denyResponse(403), 403, { faults: [] }),
  refuses(
    'timeout http-request with option http-buffer-request',
    haproxy({ frontend: 'option http-buffer-request\n  timeout http-request 150ms' }),
    408,
    { slowBodyMs: 400 },
  ),
  exception(resets(retryAll, haproxy({ backend: retryAll })), sentByProxy, useDefaultRetry),
  exception(
    resets(`${retryAll}, then 409`, haproxy({ backend: `${retryAll}\n  option redispatch 1` }), 409, {
      backends: 2,
      faults: [resetsAfterApplying, oneInFive({ type: 'status', status: 409 })],
    }),
    'The 409 is for the second PATCH that the proxy sent; the first one was applied.',
    useDefaultRetry,
  ),
  exception(
    refuses(
      'errorfile: 200 in JSON',
      haproxy({ backend: 'errorfile 502 DIR/200-json.http' }),
      200,
      resetsBefore,
    ),
    seenAs2xx,
    'errorfile with a status from 500 to 504',
  ),
  exception(
    resets(
      'http-response return 404 without a body',
      haproxy({ frontend: `http-response return status 404 ${oneIn(4)}` }),
      404,
      { faults: [] },
    ),
    seenAs4xx,
    'http-response deny, whose default is 502',
  ),
  exception(
    resets('http-response deny 429', denyResponse(429), 429, { calls: 60, faults: [], disturb: resumes }),
    seenAs429,
    'http-response deny, whose default is 502; 429 by http-request rules only',
  ),
];

const onReceive = (lines: string) => `sub vcl_recv { ${lines} }`;
const onError = (lines: string) => varnish({ vcl: `sub vcl_backend_error { ${lines} }` });
const jsonError = 'set beresp.http.Content-Type = "application/json"; synthetic("{}"); return (deliver);';
const keepsBody = onReceive('std.cache_req_body(100KB);');

const onVarnish: readonly Experiment[] = [
  ...withAny(varnish(), varnish({ backend: '.first_byte_timeout = 200ms;' }), {
    status: 503,
    late: 503,
    down: 503,
  }),
  disturbed('VCL reloaded in a loop', varnish(), reloads, allSucceeded),
  idleCloses('timeout_idle 1 s', varnish({ args: ['-p', 'timeout_idle=1'] })),
  resets('503 with Retry-After, JSON', onError(`set beresp.http.Retry-After = "1"; ${jsonError}`), 503),
  resets('HTML page with 404', onError('set beresp.status = 404;'), 404),
  refuses(
    'maintenance for 1 in 4: 503 with Retry-After, HTML',
    varnish({
      vcl: `${onReceive('if (std.random(0, 4) < 1) { return (synth(503)); }')}
        sub vcl_synth { set resp.http.Retry-After = "1"; }`,
    }),
    503,
  ),
  limits(
    'synth 429 for 1 in 4, HTML',
    varnish({ vcl: onReceive('if (std.random(0, 4) < 1) { return (synth(429)); }') }),
    { disturb: resumes },
  ),
  exception(
    resets('std.cache_req_body', varnish({ vcl: keepsBody })),
    'The proxy itself sends a PATCH again whose body it has kept, when a reused connection to the back end breaks.',
    'std.cache_req_body for GET and HEAD only',
  ),
  exception(
    resets(
      'return (retry) with std.cache_req_body',
      varnish({ vcl: `${keepsBody} sub vcl_backend_error { return (retry); }` }),
    ),
    sentByProxy,
    'return (retry) for GET and HEAD only',
  ),
  exception(
    refuses('200 in JSON', onError(`set beresp.status = 200; ${jsonError}`), 200, resetsBefore),
    seenAs2xx,
    'the status that Varnish sets, 503',
  ),
];

export const experiments: readonly Experiment[] = [...onNginx, ...onHaproxy, ...onVarnish];
