import type { Contender, ContenderSettings } from '../contenders/contender.ts';
import { type ContenderName, contenderList } from '../contenders/contender-list.ts';

export interface ContenderRoleSettings extends ContenderSettings {
  readonly name: ContenderName;
}

/** Makes one process of a queue ready to work. */
export async function startContenderRole({ name, ...settings }: ContenderRoleSettings): Promise<Contender> {
  return contenderList[name].start(settings);
}
