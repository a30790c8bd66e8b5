import { Alert, Button, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { describeError, isNotFound } from './api.ts';
import { ViewTitle } from './view-title.tsx';

/** What went wrong with a request; nothing where it did not. */
export function ErrorAlert({ error }: { readonly error: unknown }) {
  if (!error) return null;
  return (
    <Alert color="red" role="alert">
      {describeError(error).message}
    </Alert>
  );
}

interface MissingViewProps {
  /** What is missing, such as `Order`. */
  readonly what: string;
  /** Why it cannot be loaded; without it, there is no such view. */
  readonly error?: unknown;
  readonly href: string;
  /** What is at `href`. */
  readonly link: string;
}

/** Takes the place of a view that cannot be shown. */
export function MissingView({ what, error, href, link }: MissingViewProps) {
  return (
    <Stack align="start">
      <ViewTitle>{`${what} ${error && !isNotFound(error) ? 'cannot be loaded' : 'not found'}`}</ViewTitle>
      <ErrorAlert error={error} />
      <Button component={Link} href={href} variant="default">
        {link}
      </Button>
    </Stack>
  );
}
