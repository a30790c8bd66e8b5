import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the outbox first: some of its tests wait for a minute, and beside them the others have the processor. */
export class OutboxFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isOutbox = ({ project }: TestSpecification) => project.name === 'outbox';
    return [...sorted.filter(isOutbox), ...sorted.filter((file) => !isOutbox(file))];
  }
}
