import { freezeDeep } from '../freeze-deep.ts';
import type { Fault } from './fault.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { checkFields, type FieldChecks, isRecord, text } from './field-check.ts';

/** Makes a fault that nobody can change any more; throws a `TypeError` that says what to write instead. */
export function readFault(value: unknown): Fault {
  const name = isRecord(value) ? value['fault'] : undefined;
  if (!isRecord(value) || typeof name !== 'string' || !isFaultName(name)) {
    const names = Object.keys(FAULT_KINDS).join(', ');
    throw new TypeError(`A fault is an object whose field "fault" names it: ${names}.`);
  }
  const checks: FieldChecks = { fault: text, ...FAULT_KINDS[name].fields };
  checkFields(`The fault ${name}`, value, checks);
  // Its name is known and each of its fields has just been checked.
  return freezeDeep(structuredClone(value)) as Readonly<Record<string, unknown>> as unknown as Fault;
}

function isFaultName(name: string): name is Fault['fault'] {
  return Object.hasOwn(FAULT_KINDS, name);
}
