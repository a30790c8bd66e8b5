interface ValidatorEntry {
  readonly label: string;
  readonly load: () => Promise<{ readonly validate: (update: unknown) => unknown }>;
}

/** The ways of checking an update, in the order of tables. */
export const validatorList = {
  zod: { label: 'zod', load: () => import('./zod.ts') },
  'zod-mini': { label: 'zod/mini', load: () => import('./zod-mini.ts') },
  ours: { label: '@orders/schema', load: () => import('./ours.ts') },
  'ours-compiled': { label: '@orders/schema/compile', load: () => import('./ours-compiled.ts') },
} as const satisfies Record<string, ValidatorEntry>;

export type ValidatorName = keyof typeof validatorList;
export const validatorNames = Object.keys(validatorList) as ValidatorName[];

export function isValidatorName(name: string): name is ValidatorName {
  return Object.hasOwn(validatorList, name);
}
