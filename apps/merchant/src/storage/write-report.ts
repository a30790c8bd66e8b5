import type { UpdateReport } from '../contract/update-report.ts';

/**
 * Writes a report as JSON. What the service answered is left out where it is nested too deep to be written: the outcome
 * must be stored whatever was answered.
 */
export function writeReport(report: UpdateReport): string {
  try {
    return JSON.stringify(report);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const { data: _, ...rest } = report;
    return JSON.stringify(rest);
  }
}
