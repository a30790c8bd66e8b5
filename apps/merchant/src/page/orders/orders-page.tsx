import './orders.css';
import { Button } from '@mantine/core';
import { Redirect } from 'wouter';
import { useOrders } from '../api/orders.ts';
import { EditorSkeleton } from '../editor/editor-skeleton.tsx';
import { Notice } from '../shell/notice.tsx';
import { View } from '../shell/view.tsx';
import { orderWords } from '../words/orders.ts';
import { shellWords } from '../words/shell.ts';
import { orderHref } from './order-href.ts';
import { OrderPage } from './order-page.tsx';
import { OrderRail, OrderRailSkeleton } from './order-rail.tsx';

/** The orders on the left, and the one at hand beside them; without a token, it leads to the first order. */
export function OrdersPage({ token }: { readonly token?: string }) {
  const { data, isError, refetch } = useOrders();
  const { title, none, failed } = orderWords;
  if (!data && isError) {
    return (
      <View title={title}>
        <Notice icon="warning" title={failed.title} text={failed.text}>
          <Button onClick={() => refetch()}>{shellWords.retry}</Button>
        </Notice>
      </View>
    );
  }
  const [first] = data?.orders ?? [];
  if (token === undefined && data && !first) {
    return (
      <View title={title}>
        <Notice icon="inbox" title={none.title} text={none.text} />
      </View>
    );
  }
  if (token === undefined && first) return <Redirect to={orderHref(first.token)} replace />;
  return (
    <div className="orders">
      {data ? <OrderRail orders={data.orders} current={token} /> : <OrderRailSkeleton />}
      {token === undefined ? (
        <View title={title}>
          <EditorSkeleton />
        </View>
      ) : (
        <OrderPage token={token} />
      )}
    </div>
  );
}
