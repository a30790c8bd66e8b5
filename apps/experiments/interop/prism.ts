import { startScript } from './processes.ts';

/** Starts Prism with a document, as a mock or as a proxy before a service. Every violation becomes an error. */
export async function startPrism(
  file: string,
  upstream?: string,
): Promise<AsyncDisposable & { url: string }> {
  const script = import.meta.resolve('@stoplight/prism-cli/dist/index.js');
  const args = upstream === undefined ? ['mock', file] : ['proxy', file, upstream];
  const flags = ['--errors', '--host', '127.0.0.1', '--port', '0'];
  const prism = await startScript(script, [...args, ...flags], /listening on (http:\/\/127\.0\.0\.1:\d+)/);
  return Object.assign(prism, { url: prism.match });
}

/** What Prism finds wrong with a request or a response. */
export interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

/** Prism leaves the header out when there are none. */
export function readViolations(header: unknown): readonly Violation[] {
  return JSON.parse(String(header ?? '[]'));
}
