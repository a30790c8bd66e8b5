/** The packages that consumers pick from, without their scope. */
export const packageNames = ['schema', 'auth', 'client', 'testing', 'outbox', 'cli'] as const;

export type PackageName = (typeof packageNames)[number];

export function scoped(name: PackageName): string {
  return `@orders/${name}`;
}
