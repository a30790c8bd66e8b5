import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They take a minute and more: the page in its browser, and what waits for leases and time limits to end. */
const longest = /(?:merchant\/test\/page\/page|outbox\/src\/(?:worker|queue))\.test\.ts$/;
const order = ['merchant', 'outbox', 'examples', 'others'];

/** Starts the longest files first, then project by project, since vitest keeps a worker only for the next file of its project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification): number =>
      longest.test(moduleId) ? -1 : order.indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
