import { loadSchema, type SchemaOptions } from './connection.ts';
import { MalformedFileError, type ReadOptions, type RowIssue, readRows } from './read-file.ts';
import {
  type CommandInput,
  type ExitCode,
  formatCount,
  formatNumberOf,
  joinSentences,
  type Terminal,
} from './terminal.ts';

interface ValidateOptions extends SchemaOptions, Pick<ReadOptions, 'decimals' | 'input'> {
  readonly format?: keyof typeof reporters;
  readonly json?: true;
  readonly limit?: number;
}

interface FileIssue extends RowIssue {
  readonly file: string;
}

interface FileSummary {
  readonly file: string;
  readonly rows: number;
  readonly invalidRows: number;
  /** The row that is malformed: what follows was not read. */
  readonly malformedRow?: number;
}

/** What was found in all files. Only the first issues are kept: a file may have as many as rows. */
export interface ValidationReport {
  readonly valid: boolean;
  readonly files: readonly FileSummary[];
  readonly issueCount: number;
  /** How many issues each rule has. */
  readonly rules: Readonly<Record<string, number>>;
  readonly issues: readonly FileIssue[];
}

export async function runValidate({
  args,
  options,
  terminal,
}: CommandInput<ValidateOptions>): Promise<ExitCode> {
  const { format = options.json ? 'json' : 'text', limit = 100 } = options;
  const schema = await loadSchema(options);
  const report = await validateFiles(args, { ...options, schema, limit });
  await reporters[format](report, terminal);
  return report.valid ? 0 : 1;
}

type ValidateFilesOptions = ReadOptions & {
  /** How many issues are kept. */
  readonly limit: number;
  /** Called with the number of rows that were read. */
  readonly onRow?: (rows: number) => void;
};

/** @throws CommandError when a file cannot be read; what is wrong in it is an issue. */
export async function validateFiles(
  names: readonly string[],
  { limit, onRow = () => {}, ...reading }: ValidateFilesOptions,
): Promise<ValidationReport> {
  const rules = new Map<string, number>();
  const issues: FileIssue[] = [];
  const files: FileSummary[] = [];
  for (const file of names) {
    let [rows, invalidRows] = [0, 0];
    let malformedRow: number | undefined;
    const add = (found: readonly RowIssue[]): void => {
      for (const issue of found) {
        rules.set(issue.code, (rules.get(issue.code) ?? 0) + 1);
        if (issues.length < limit) issues.push({ file, ...issue });
      }
    };
    try {
      for await (const row of readRows(file, reading)) {
        rows++;
        if (row.issues.length > 0) invalidRows++;
        add(row.issues);
        onRow(rows);
      }
    } catch (error) {
      if (!(error instanceof MalformedFileError)) throw error;
      add(error.issues);
      malformedRow = error.row;
    }
    files.push({ file, rows, invalidRows, ...(malformedRow !== undefined && { malformedRow }) });
  }
  const sorted = [...rules].sort(([, one], [, other]) => other - one);
  const issueCount = sorted.reduce((sum, [, count]) => sum + count, 0);
  return { valid: issueCount === 0, files, issueCount, rules: Object.fromEntries(sorted), issues };
}

const reporters = {
  async text(report: ValidationReport, terminal: Terminal): Promise<void> {
    terminal.print(...(await drawIssues(report, terminal)));
    for (const { file, rows, invalidRows, malformedRow } of report.files) {
      const what = invalidRows > 0 ? `${formatCount(invalidRows)} invalid of ` : 'valid: ';
      const read = `${what}${formatNumberOf(rows, 'row')}`;
      if (malformedRow === undefined) terminal.print(`${file}: ${read}`);
      else {
        const before = rows > 0 ? `; before it ${read}` : '';
        terminal.print(`${file}: not read to its end, since row ${malformedRow} is malformed${before}`);
      }
    }
  },
  async json(report: ValidationReport, terminal: Terminal): Promise<void> {
    terminal.json = true;
    await terminal.report(report, () => []);
  },
  /** Annotations of GitHub Actions. */
  async github({ issues }: ValidationReport, terminal: Terminal): Promise<void> {
    for (const issue of issues) {
      const { file, row, line = row, column, code } = issue;
      const at = Object.entries({ file, line, ...(column && { col: column }), title: code });
      const properties = at.map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(',');
      terminal.print(
        `::error ${properties}::${escapeData(`row ${row}, ${issue.path || 'update'}: ${describe(issue)}`)}`,
      );
    }
  },
  /** SARIF 2.1.0, which code hosts and editors read. */
  async sarif({ issues, rules }: ValidationReport, terminal: Terminal): Promise<void> {
    const results = issues.map((issue) => {
      const { file, row, line = row, column, code } = issue;
      const region = { startLine: line, ...(column && { startColumn: column }) };
      const artifactLocation = { uri: encodeURI(file.replaceAll('\\', '/')) };
      return {
        ruleId: code,
        level: 'error',
        message: { text: `row ${row}, ${issue.path || 'update'}: ${describe(issue)}` },
        locations: [{ physicalLocation: { artifactLocation, region } }],
      };
    });
    const driver = { name: 'orders validate', rules: Object.keys(rules).map((id) => ({ id })) };
    terminal.json = true;
    await terminal.report(
      {
        $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
        version: '2.1.0',
        runs: [{ tool: { driver }, results }],
      },
      () => [],
    );
  },
};

/** The issues and their rules, for people. */
export async function drawIssues(
  { issues, issueCount, rules }: ValidationReport,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (issueCount === 0) return [];
  const lines: string[] = [];
  for (const issue of issues) {
    const { file, row, line, column, path, code } = issue;
    const at = [line ?? row, ...(column ? [column] : [])].join(':');
    lines.push(
      `${terminal.style('bold', `${file}:${at}`)} row ${row}${path === '' ? '' : `, ${path}`} (${code})`,
      ...(await terminal.table([['', describe(issue)]])),
    );
  }
  if (issues.length < issueCount)
    lines.push(`and ${formatCount(issueCount - issues.length)} more: --limit prints them.`);
  const counts = Object.entries(rules).map(([code, count]) => [` ${formatCount(count)}`.padStart(8), code]);
  return [
    ...lines,
    '',
    `${formatNumberOf(issueCount, 'issue')} by rule:`,
    ...(await terminal.table(counts)),
    '',
  ];
}

/** What is wrong, what is there, and what to write instead. */
function describe({ found, message, hint }: RowIssue): string {
  const got = found === undefined || message.includes(found) ? '' : `Found ${found}. `;
  return got + joinSentences(message, hint);
}

function escapeData(text: string): string {
  return text.replace(/[%\r\n]/g, encodeURIComponent);
}

function escapeProperty(text: string): string {
  return text.replace(/[%\r\n:,]/g, encodeURIComponent);
}
