import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { Activity } from '../activity/activity.tsx';
import { useOrder } from '../api/orders.ts';
import { DeskProblem } from '../api/request.ts';
import { EditorSkeleton } from '../editor/editor-skeleton.tsx';
import { OrderEditor } from '../editor/order-editor.tsx';
import { Notice } from '../shell/notice.tsx';
import { View } from '../shell/view.tsx';
import { orderWords } from '../words/orders.ts';
import { shellWords } from '../words/shell.ts';
import { orderTitle } from './order-title.ts';

/** One order: its editor, and what happens to it. */
export function OrderPage({ token }: { readonly token: string }) {
  const { data: order, error, refetch } = useOrder(token);
  if (order) {
    return (
      <View title={orderTitle(order)}>
        <OrderEditor key={token} order={order} aside={<Activity order={order} />} />
      </View>
    );
  }
  return (
    <View title={orderWords.title}>
      {error ? <Failure error={error} onRetry={refetch} /> : <EditorSkeleton />}
    </View>
  );
}

function Failure({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const { unknown, failedOne } = orderWords;
  if (error instanceof DeskProblem && error.status === 404) {
    return (
      <Notice icon="question" title={unknown.title} text={unknown.text}>
        <Button component={Link} href="/">
          {unknown.back}
        </Button>
      </Notice>
    );
  }
  return (
    <Notice icon="warning" title={failedOne.title} text={failedOne.text}>
      <Button onClick={onRetry}>{shellWords.retry}</Button>
    </Notice>
  );
}
