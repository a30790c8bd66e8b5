import process from 'node:process';
import { isValidatorName, validatorList } from '../validators/validator-list.ts';
import { buildUpdate } from '../workload/build-update.ts';

export interface ValidationOrder {
  readonly lines: number;
  readonly updates: number;
}

/** Makes one way of checking updates ready, in this process alone. */
export async function startValidatorRole(name: string) {
  if (!isValidatorName(name)) throw new TypeError(`There is no validator ${JSON.stringify(name)}.`);
  const { validate } = await validatorList[name].load();
  return {
    /** Checks an update so many times and tells the CPU time in milliseconds. */
    round({ lines, updates }: ValidationOrder): number {
      const update = buildUpdate(lines);
      const before = process.cpuUsage();
      for (let count = 0; count < updates; count++) validate(update);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    },
  };
}
