import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/**
 * What axe finds wrong with a page, or with a part of it, each with where and why. The part is for what opens over a page
 * that was looked at already.
 */
export async function findViolations(page: Page, part?: string): Promise<readonly unknown[]> {
  // Of what is right nothing needs to be told, and without frames there is nothing to be gathered in a page of its own.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await (part === undefined ? axe : axe.include(part)).analyze();
  return violations.map(({ id, nodes }) => [
    id,
    nodes.map(({ target, html, failureSummary }) => [target, html, failureSummary]),
  ]);
}
