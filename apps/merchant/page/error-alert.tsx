import { Alert } from '@mantine/core';
import { describeError } from './api.ts';

/** What went wrong with a request; nothing where it did not. */
export function ErrorAlert({ error }: { readonly error: unknown }) {
  if (!error) return null;
  return (
    <Alert color="red" role="alert">
      {describeError(error).message}
    </Alert>
  );
}
