import { authorize, basic } from '@orders/auth';

/** The value of `Authorization` for a key, which must not show anywhere else. */
export async function encodeKey(key: string): Promise<string> {
  const credentials = basic(key);
  if (`${credentials} ${JSON.stringify({ credentials })}`.includes(key)) throw new Error('The key shows.');
  const authorization = await authorize(credentials);
  return authorization.reveal();
}
