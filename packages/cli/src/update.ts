import { OrdersError, type Outcome, type Receipt } from '@orders/client';
import { type ConnectionOptions, connect, loadSchema } from './connection.ts';
import { readOneUpdate } from './read-file.ts';
import {
  type CommandInput,
  type ExitCode,
  escapeControls,
  joinSentences,
  type Terminal,
} from './terminal.ts';

interface UpdateOptions extends ConnectionOptions {
  readonly dryRun?: true;
  readonly decimals?: number;
}

/** Sends one update, or shows what would be sent. @throws CommandError */
export async function runUpdate({
  args,
  options,
  terminal,
  env,
}: CommandInput<UpdateOptions>): Promise<ExitCode> {
  const [token = '', file = ''] = args;
  const isDry = options.dryRun ?? false;
  const schema = await loadSchema(options, terminal);
  const update = await readOneUpdate(file, { schema, decimals: options.decimals, terminal });
  const { client, baseUrl } = await connect(options, { terminal, env, isDry });
  try {
    if (isDry) {
      const prepared = client.prepareUpdateOrder(token, update);
      const { method, url, body } = prepared;
      if (terminal.json)
        await terminal.report({ method, url, body: JSON.parse(body), curl: prepared.toCurl() }, () => []);
      else terminal.write(escapeControls(prepared.toCurl()));
      return 0;
    }
    // A second Ctrl-C ends the process.
    const signal = terminal.catchInterrupt();
    const { outcome, status, attemptCount, data, receipt } = await terminal.waitFor(
      `${baseUrl} to apply the update`,
      client.updateOrder(token, update, { signal }),
    );
    await terminal.report({ outcome, status, attemptCount, data, receipt }, async () => [
      `${terminal.style('green', 'Applied')} (${status}) by ${baseUrl}`,
      ...(await drawReceipt(receipt, terminal)),
    ]);
    return 0;
  } catch (error) {
    if (!(error instanceof OrdersError)) throw error;
    const { outcome, code, message, attemptCount, receipt } = error;
    const issues = error.code === 'validation_error' ? error.issues : undefined;
    const status = 'status' in error ? error.status : undefined;
    const hint = statusHints[status ?? 0];
    const facts = { outcome, code, status, message, hint, attemptCount, issues, receipt };
    await terminal.report(facts, async () => [
      terminal.style(outcome === 'applied' ? 'yellow' : 'red', headings[outcome]),
      ...(issues
        ? await terminal.table(
            issues.map((issue) => [issue.path || 'body', joinSentences(issue.message, issue.hint)]),
          )
        : await terminal.table([[joinSentences(message, hint)]])),
      ...(attemptCount > 0 ? await drawReceipt(receipt, terminal) : []),
    ]);
    if (outcome === 'applied') return 0;
    return outcome === 'not_sent' && code !== 'validation_error' ? 3 : 1;
  } finally {
    await client.close();
  }
}

const keyHint = 'Is it the private key, and of this environment? "orders check" tries it.';

const statusHints: Readonly<Partial<Record<number, string>>> = {
  401: keyHint,
  403: keyHint,
  404: 'Is the token of this environment? "orders check" shows whether the base URL is right.',
};

async function drawReceipt(receipt: Receipt, terminal: Terminal): Promise<readonly string[]> {
  return terminal.table(
    String(receipt)
      .split('\n')
      .map((line) => [line]),
  );
}

const headings: Readonly<Record<Outcome, string>> = {
  applied: 'Applied, though the response could not be read',
  rejected: 'Rejected: it was not applied',
  not_sent: 'Not sent',
  unknown: 'Unknown: it may have been applied. Look at the order before you send it again.',
};
