import { startHere } from '../../../packages/cli/test/run-here.ts';

/** A mock order service that was started at a prompt. */
export interface PromptService extends AsyncDisposable {
  /** The environment of its reader's next command. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts `orders mock` with the options of a command line of a page, but on a free port. */
export async function startAtPrompt(command: string): Promise<PromptService> {
  const words = (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
  const options = words.slice(words.indexOf('mock')).map((word) => (word === '8402' ? '0' : word));
  const service = startHere(options);
  const printed = await service.printed(/Update an order/);
  const find = (pattern: RegExp): string => pattern.exec(printed)?.[1] ?? '';
  return {
    env: {
      ORDERS_BASE_URL: find(/ready at (\S+)/),
      ORDER_TOKEN: find(/^ {2}(ord_\w+)$/m),
      ORDERS_API_KEY: words[words.indexOf('--key') + 1] ?? '',
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
