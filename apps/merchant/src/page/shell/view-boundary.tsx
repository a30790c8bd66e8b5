import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { shellWords } from '../words/shell.ts';
import { Notice } from './notice.tsx';

/** Shows a way on where a view could not be drawn or loaded; React has no hook for this. */
export class ViewBoundary extends Component<{ readonly children: ReactNode }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    const { title, text, reload } = shellWords.broken;
    return (
      <Notice icon="warning" title={title} text={text}>
        <Button onClick={() => location.reload()}>{reload}</Button>
      </Notice>
    );
  }
}
