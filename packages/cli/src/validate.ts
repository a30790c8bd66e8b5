import { loadSchema, type SchemaOptions } from './connection.ts';
import {
  describeIssue,
  type FileOptions,
  type ReadOptions,
  type RowIssue,
  readingOf,
  readRows,
  UnreadableFileError,
} from './read-file.ts';
import { type CommandInput, type ExitCode, formatCount, formatNumberOf, type Terminal } from './terminal.ts';

interface ValidateOptions extends SchemaOptions, FileOptions {
  readonly format?: keyof typeof reporters;
  readonly json?: true;
  readonly limit?: number;
}

interface FileIssue extends RowIssue {
  readonly file: string;
}

interface FileSummary {
  readonly file: string;
  /** How many updates it holds. */
  readonly rows: number;
  readonly invalidRows: number;
  /** The row that is malformed: what follows was not read. A file without rows has none. */
  readonly malformedRow?: number;
  /** Set when the file could not be opened, or not be read to its end. */
  readonly isMissing?: true;
}

/** What was found in all files. Only the first issues and warnings are kept: a file may have as many as rows. */
export interface ValidationReport {
  readonly valid: boolean;
  readonly files: readonly FileSummary[];
  readonly issueCount: number;
  readonly warningCount: number;
  /** How many issues and warnings each rule has. */
  readonly rules: Readonly<Record<string, number>>;
  readonly issues: readonly FileIssue[];
  readonly warnings: readonly FileIssue[];
}

export async function runValidate({
  args,
  options,
  terminal,
}: CommandInput<ValidateOptions>): Promise<ExitCode> {
  const { format = options.json ? 'json' : 'text', limit = 100 } = options;
  const schema = await loadSchema(options, terminal);
  const reading = { ...readingOf(options), schema, terminal, requireToken: false };
  const report = await validateFiles(args, { ...reading, limit });
  await reporters[format](report, terminal);
  if (report.files.some(({ isMissing }) => isMissing)) return 3;
  return report.valid ? 0 : 1;
}

type ValidateFilesOptions = ReadOptions & {
  /** How many issues are kept. */
  readonly limit: number;
  /** Called with the number of rows that were read. */
  readonly onRow?: (rows: number) => void;
};

/** Reads all files, whatever is wrong with one of them. */
export async function validateFiles(
  names: readonly string[],
  { limit, onRow = () => {}, ...reading }: ValidateFilesOptions,
): Promise<ValidationReport> {
  const rules = new Map<string, number>();
  const found = { issues: [] as FileIssue[], warnings: [] as FileIssue[] };
  const counts = { issues: 0, warnings: 0 };
  const files: FileSummary[] = [];
  const add = (kind: 'issues' | 'warnings', file: string, all: readonly RowIssue[]): void => {
    for (const issue of all) {
      counts[kind]++;
      rules.set(issue.code, (rules.get(issue.code) ?? 0) + 1);
      if (found[kind].length < limit) found[kind].push({ file, ...issue });
    }
  };
  for (const file of names) {
    let [rows, invalidRows] = [0, 0];
    let end: Pick<FileSummary, 'malformedRow' | 'isMissing'> = {};
    try {
      for await (const { row, issues, warnings, isUnreadable } of readRows(file, reading)) {
        add('issues', file, issues);
        add('warnings', file, warnings);
        const isEmpty = issues.some(({ code }) => code === 'no_rows');
        if (isUnreadable) end = isEmpty ? {} : { malformedRow: row };
        else rows++;
        if (issues.length > 0 && !isUnreadable) invalidRows++;
        onRow(rows);
      }
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      add('issues', file, [{ row: rows + 1, code: 'unreadable', path: '', message: error.message }]);
      end = { isMissing: true };
    }
    files.push({ file, rows, invalidRows, ...end });
  }
  const sorted = [...rules].sort(([, one], [, other]) => other - one);
  return {
    valid: counts.issues === 0,
    files,
    issueCount: counts.issues,
    warningCount: counts.warnings,
    rules: Object.fromEntries(sorted),
    ...found,
  };
}

const reporters = {
  async text(report: ValidationReport, terminal: Terminal): Promise<void> {
    // One by one: a call has no room for as many arguments.
    for (const line of await drawIssues(report, terminal)) terminal.print(line);
    for (const { file, rows, invalidRows, malformedRow, isMissing } of report.files) {
      const what = invalidRows > 0 ? `${formatCount(invalidRows)} invalid of ` : 'valid: ';
      const read = rows === 0 ? 'no rows' : `${what}${formatNumberOf(rows, 'row')}`;
      const before = rows > 0 ? `; before it ${read}` : '';
      if (malformedRow !== undefined)
        terminal.print(`${file}: not read to its end, since row ${malformedRow} is malformed${before}`);
      else
        terminal.print(isMissing ? `${file}: not read${rows > 0 ? ' to its end' : ''}` : `${file}: ${read}`);
    }
  },
  async json(report: ValidationReport, terminal: Terminal): Promise<void> {
    terminal.json = true;
    await terminal.report(report, () => []);
  },
  /** Annotations of GitHub Actions. */
  async github({ issues, warnings }: ValidationReport, terminal: Terminal): Promise<void> {
    const annotate = (level: 'error' | 'warning', issue: FileIssue): void => {
      const { file, row, line = row, column, code } = issue;
      const at = Object.entries({ file, line, ...(column && { col: column }), title: code });
      const properties = at.map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(',');
      terminal.print(`::${level} ${properties}::${escapeData(describeRow(issue))}`);
    };
    for (const issue of issues) annotate('error', issue);
    for (const warning of warnings) annotate('warning', warning);
  },
  /** SARIF 2.1.0, which code hosts and editors read. */
  async sarif({ issues, warnings, rules }: ValidationReport, terminal: Terminal): Promise<void> {
    const toResult = (level: 'error' | 'warning', issue: FileIssue) => {
      const { file, row, line = row, column, code } = issue;
      const region = { startLine: line, ...(column && { startColumn: column }) };
      const artifactLocation = {
        uri: encodeURI(file.replaceAll('\\', '/')).replace(/[?#]/g, encodeURIComponent),
      };
      return {
        ruleId: code,
        level,
        message: { text: describeRow(issue) },
        locations: [{ physicalLocation: { artifactLocation, region } }],
      };
    };
    const results = [
      ...issues.map((issue) => toResult('error', issue)),
      ...warnings.map((warning) => toResult('warning', warning)),
    ];
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

/** The issues and warnings and their rules, for people. */
export async function drawIssues(
  { issues, warnings, issueCount, warningCount, rules }: ValidationReport,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (issueCount + warningCount === 0) return [];
  const lines: string[] = [];
  const draw = async (issue: FileIssue, kind: string): Promise<void> => {
    const { file, row, line, column, path, code } = issue;
    const at = [line ?? row, ...(column ? [column] : [])].join(':');
    lines.push(
      `${terminal.style('bold', `${file}:${at}`)} row ${row}${path === '' ? '' : `, ${path}`} (${kind}${code})`,
      ...(await terminal.table([['', describeIssue(issue)]])),
    );
  };
  for (const issue of issues) await draw(issue, '');
  for (const warning of warnings) await draw(warning, 'warning: ');
  const shown = issues.length + warnings.length;
  if (shown < issueCount + warningCount)
    lines.push(
      `and ${formatCount(issueCount + warningCount - shown)} more: orders validate --limit prints them.`,
    );
  const counts = Object.entries(rules).map(([code, count]) => [` ${formatCount(count)}`.padStart(8), code]);
  const kinds = [
    ...(issueCount > 0 ? [formatNumberOf(issueCount, 'issue')] : []),
    ...(warningCount > 0 ? [formatNumberOf(warningCount, 'warning')] : []),
  ];
  const byRule = [`${kinds.join(' and ')} by rule:`, ...(await terminal.table(counts)), ''];
  return [...lines, '', ...(counts.length > 0 ? byRule : [])];
}

function describeRow(issue: FileIssue): string {
  return `row ${issue.row}, ${issue.path || 'update'}: ${describeIssue(issue)}`;
}

function escapeData(text: string): string {
  return text.replace(/[%\r\n]/g, encodeURIComponent);
}

function escapeProperty(text: string): string {
  return text.replace(/[%\r\n:,]/g, encodeURIComponent);
}
