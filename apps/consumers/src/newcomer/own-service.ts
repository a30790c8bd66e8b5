/** What the service says of itself when it has started. */
export interface ServiceFacts {
  readonly url: string;
  readonly key: string;
  readonly token: string;
  /** A line to paste. */
  readonly curl: string;
}

/** Reads what `orders mock` printed. */
export function readServiceFacts(printed: string): ServiceFacts {
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(printed)?.[1];
    if (found === undefined) throw new Error(`orders mock did not print ${pattern}: ${printed}`);
    return found;
  };
  return {
    url: find(/ready at (\S+)/),
    key: find(/made for this run: (\S+)/),
    token: find(/^Orders:\n\s+(\S+)/m),
    curl: find(/^\s+(curl .+)$/m),
  };
}

/** An example with a service of one's own in place of the one that it starts, imports and closes. */
export function withOwnService(example: string, { url, key, token }: Omit<ServiceFacts, 'curl'>): string {
  const own = `const service = ${JSON.stringify({ url, key, token })};`;
  const lines = example.split('\n');
  const changed = lines
    .filter(
      (line) => !line.startsWith('import { startMockOrderService }') && line !== 'await service.close();',
    )
    .map((line) => (line.includes('startMockOrderService()') ? own : line));
  if (!changed.includes(own)) throw new Error('The example starts no service.');
  return changed.join('\n');
}
