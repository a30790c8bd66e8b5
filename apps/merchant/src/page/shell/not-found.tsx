import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { shellWords } from '../words/shell.ts';
import { Notice } from './notice.tsx';
import { View } from './view.tsx';

/** Where an address leads to no view. */
export function NotFound() {
  const { title, text, back } = shellWords.notFound;
  return (
    <View title={title}>
      <Notice icon="question" title={title} text={text}>
        <Button component={Link} href="/">
          {back}
        </Button>
      </Notice>
    </View>
  );
}
