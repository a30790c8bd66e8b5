import fc from 'fast-check';

/** Throws at whatever is asked of it. */
export function throwingProxy(): object {
  return createProxy(
    'proxy that throws',
    {},
    {
      get: fail,
      has: fail,
      set: fail,
      ownKeys: fail,
      getPrototypeOf: fail,
      getOwnPropertyDescriptor: fail,
      defineProperty: fail,
      deleteProperty: fail,
      isExtensible: fail,
      preventExtensions: fail,
    },
  );
}

/** Throws when its names are listed, as a list of names that holds one twice does. */
export function lyingProxy(): object {
  return createProxy('proxy with a name twice', {}, { ownKeys: () => ['cart', 'cart'] });
}

/** Holds another of its kind, and so on without an end. */
export function endlessProxy(): object {
  return createProxy(
    'proxy without an end',
    {},
    {
      get: () => endlessProxy(),
      ownKeys: () => ['cart'],
      getOwnPropertyDescriptor: () => ({ value: 1, configurable: true, enumerable: true }),
    },
  );
}

/** A list that makes each of its many lines when it is read. */
export function longProxy(): object {
  return createProxy('proxy of a long list', [], {
    get: (_, key) => (key === 'length' ? LONG : {}),
  });
}

const LONG = 200_000;

/** Fails at every read: nested only, since fast-check reads what it is given as a whole. */
export function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function fail(): never {
  throw new Error('A proxy that throws.');
}

/**
 * Makes a proxy that answers what fast-check asks by its own symbols, since a value that throws there would end the run
 * before the code under test has seen it.
 */
function createProxy(name: string, target: object, traps: ProxyHandler<object>): object {
  return new Proxy(target, {
    ...traps,
    has(of, key) {
      if (typeof key === 'symbol') return key === fc.toStringMethod || Reflect.has(of, key);
      return (traps.has ?? Reflect.has)(of, key);
    },
    get(of, key, receiver) {
      if (key === fc.toStringMethod) return () => `[${name}]`;
      if (typeof key === 'symbol') return Reflect.get(of, key);
      return (traps.get ?? Reflect.get)(of, key, receiver);
    },
  });
}
