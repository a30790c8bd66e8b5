/**
 * What a child process can be. A role is loaded only in the child that plays it, so that none carries the
 * libraries of another; its arguments are words, and its result is what the parent can call.
 */
const roles = {
  server: async () => (await import('../server/count-server.ts')).startCountServer(),
  peer: async (name: string, baseUrl: string) =>
    (await import('../measure/peer-role.ts')).startPeerRole(name, baseUrl),
  validator: async (name: string) => (await import('../measure/validator-role.ts')).startValidatorRole(name),
  import: async () => (await import('../measure/import-role.ts')).startImportRole(),
  stream: async (baseUrl: string) => (await import('../measure/stream-role.ts')).startStreamRole(baseUrl),
  orderService: async () => (await import('../server/order-service-role.ts')).startMockOrderServiceRole(),
  load: async () => (await import('../measure/load-role.ts')).startLoadRole(),
  faultyService: async (port: string, faultEvery: string, seed: string) =>
    (await import('../soak/faulty-service-role.ts')).startFaultyServiceRole(
      Number(port),
      Number(faultEvery),
      Number(seed),
    ),
  soaker: async (baseUrl: string) => (await import('../soak/soaker-role.ts')).startSoakerRole(baseUrl),
};

export type Roles = typeof roles;
export type RoleName = keyof Roles;
/** What a parent can call on a child of this role. */
export type ApiOf<Role extends RoleName> = Awaited<ReturnType<Roles[Role]>>;

/** @throws TypeError when there is no such role. */
export async function startRole(name: string, words: readonly string[]): Promise<object> {
  if (!Object.hasOwn(roles, name)) throw new TypeError(`There is no role ${JSON.stringify(name)}.`);
  const start = roles[name as RoleName] as (...words: string[]) => Promise<object>;
  return start(...words);
}
