/** Something in the way of starting that whoever started the desk can change; the message is one line. */
export class BootProblem extends Error {
  override readonly name = 'BootProblem';
}

/** Where something should have listened, and the option that changes it. */
export interface ListenTarget {
  readonly host: string;
  readonly port: number;
  readonly option: '--port' | '--service-port';
}

/** Starts something that listens; when it cannot, throws a problem that says which option helps. */
export async function listening<T>(target: ListenTarget, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
    if (!/^(listen|getaddrinfo)$/.test(syscall)) throw error;
    const { host, port, option } = target;
    const trouble =
      code === 'EADDRINUSE'
        ? `port ${port} on ${host} is taken`
        : `cannot listen on port ${port} of ${host} (${code})`;
    throw new BootProblem(`${trouble}; choose another with ${option}.`, { cause: error });
  }
}
