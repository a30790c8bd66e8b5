import {
  Accordion,
  Alert,
  Badge,
  Button,
  Grid,
  Group,
  List,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { FormProvider, get } from 'react-hook-form';
import { Link } from 'wouter';
import type { OrderDetail, UpdateView } from '../../shared/api.ts';
import { historyLimits } from '../../shared/history-limits.ts';
import type { ShopUpdate } from '../../shared/order-update.ts';
import { api, createId, describeError, isNotFound, orderQuery, queryClient, read } from '../api.ts';
import { describeIssue, plural } from '../format.ts';
import { CartLines } from './cart-lines.tsx';
import { labelOf, sections } from './fields.ts';
import { focusField } from './focus-field.ts';
import { OrderField } from './order-field.tsx';
import { canonical, leftOut, type OrderForm, staleAmounts, toFieldName, toForm } from './order-form.ts';
import { SendBar } from './send-bar.tsx';
import { UpdateTimeline } from './update-timeline.tsx';
import { useOrderForm } from './use-order-form.ts';

/** It is in a section that is closed at first. */
const QrPayment = lazy(async () => ({ default: (await import('./qr-payment.tsx')).QrPayment }));

/** One order: its editor, its QR payment, and what became of its updates. */
export function OrderPage({ token }: { readonly token: string }) {
  const [count, setCount] = useState<number>(historyLimits.first);
  const { data: order, error } = useQuery(orderQuery(token, count));
  if (error && !order) {
    return (
      <Stack align="start">
        <Title order={1} size="h2">
          {isNotFound(error) ? 'Order not found' : 'The order cannot be loaded'}
        </Title>
        <Alert color="red">{describeError(error).message}</Alert>
        <Button component={Link} href="/" variant="default">
          All orders
        </Button>
      </Stack>
    );
  }
  if (!order) return <Skeleton height={400} aria-label="Loading" />;
  return (
    <>
      <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
        {order.orderId ?? 'Order without number'}
      </Title>
      <Text size="sm" c="dimmed" mb="md" style={{ overflowWrap: 'anywhere' }}>
        {token}
      </Text>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <OrderEditor order={order} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <UpdateTimeline
            order={order}
            isWhole={order.updates.length < count || count >= historyLimits.most}
            onMore={() => setCount(Math.min(count + historyLimits.first, historyLimits.most))}
          />
        </Grid.Col>
      </Grid>
    </>
  );
}

/** The form of an order: what is typed is saved as a draft, and sent as an update. */
function OrderEditor({ order }: { readonly order: OrderDetail }) {
  const { token } = order;
  const { form, draft, isStale, ...actions } = useOrderForm(order);
  const { errors } = form.formState;
  const [openSections, setOpenSections] = useState<string[]>(['order']);
  const [firstError, setFirstError] = useState<{ name: string }>();

  const attempt = useRef<{ text: string; id: string }>(undefined);
  const send = useMutation({
    async mutationFn(update: ShopUpdate) {
      // The same update has the same id until it is accepted: a repeat after a lost response is not a second update.
      const text = canonical(update);
      if (attempt.current?.text !== text) attempt.current = { text, id: createId() };
      const { id } = attempt.current;
      const draft = await actions.beginSending(id);
      const request = { param: { token }, json: { id, update, ...(draft !== undefined && { draft }) } };
      const accepted = await read<UpdateView>(api.orders[':token'].updates.$post(request));
      attempt.current = undefined;
      return accepted;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['order', token] }),
    onError(error) {
      const { issues } = readFailure(error, form.getValues());
      for (const { name, text } of issues) form.setError(name as keyof OrderForm, { message: text });
      void actions.keepSent();
      focusFirst(issues.map(({ name }) => name));
    },
  });
  const sent = order.updates.find(({ id }) => id === send.data?.id) ?? send.data;
  const isRejected = sent?.state === 'rejected';
  // What was rejected is not lost: it is a draft again.
  useEffect(() => {
    if (isRejected) void actions.keepSent();
  }, [isRejected, actions.keepSent]);

  const focusFirst = (names: readonly string[]): void => {
    const name = sortNames(names)[0];
    const section = sections.find(({ fields }) => fields.some((field) => field.name === name));
    if (section) setOpenSections((open) => [...new Set([...open, section.id])]);
    if (name) setFirstError({ name });
  };
  useEffect(() => firstError && focusField(firstError.name), [firstError]);

  const cleared = leftOutSince(order, form.getValues());
  const stale = draft === 'sent' ? [] : staleAmounts(toForm(order.body), form.getValues());
  return (
    <FormProvider {...form}>
      <form
        onSubmit={form.handleSubmit(
          (update) => send.mutate(update),
          (found) => focusFirst(errorNames(found)),
        )}
        // Enter in a field is a habit of forms that lose nothing; this one would send.
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
        }}
        noValidate
      >
        <Stack>
          {isStale && (
            <Alert color="orange" title="This order changed since you began" role="alert">
              Load the new values or keep yours. If you send yours, they replace the new ones.
              <Group mt="xs" gap="xs">
                <Button size="xs" variant="default" onClick={actions.discardChanges}>
                  Load the new values
                </Button>
                <Button size="xs" variant="default" onClick={actions.keepChanges}>
                  Keep mine
                </Button>
              </Group>
            </Alert>
          )}
          {order.open > 0 && !sent && (
            <Text size="sm" c="dimmed">
              The form shows what was applied last. {plural(order.open, 'update')} of this order{' '}
              {order.open === 1 ? 'is' : 'are'} not applied yet
              {order.needsReview && ': one waits for your decision'}.
            </Text>
          )}
          <CartLines focusOn={firstError} />
          {stale.length > 0 && (
            <Alert color="orange" title="VAT and totals are sent as they are typed">
              The lines changed, and these amounts did not:
              <List size="sm">
                {stale.map((name) => (
                  <List.Item key={name}>{labelOf(name)}</List.Item>
                ))}
              </List>
            </Alert>
          )}
          <Accordion multiple variant="separated" value={openSections} onChange={setOpenSections} order={2}>
            {sections.map(({ id, title, fields }) => {
              const wrong = fields.filter(({ name }) => get(errors, name)).length;
              return (
                <Accordion.Item key={id} value={id}>
                  <Accordion.Control>
                    <Group gap="xs">
                      {title}
                      {wrong > 0 && <Badge color="red">Fix {wrong}</Badge>}
                    </Group>
                  </Accordion.Control>
                  <Accordion.Panel>
                    <Grid>
                      {fields.map((field) => (
                        <Grid.Col key={field.name} span={{ base: 12, sm: 6 }}>
                          <OrderField {...field} />
                        </Grid.Col>
                      ))}
                    </Grid>
                    {id === 'buyer' && openSections.includes(id) && (
                      <Suspense>
                        <QrPayment order={order} />
                      </Suspense>
                    )}
                  </Accordion.Panel>
                </Accordion.Item>
              );
            })}
          </Accordion>
          {cleared.length > 0 && (
            <Alert color="blue" title="Blank fields are left out of the update">
              Whether the service then keeps their values is undocumented:
              <List size="sm">
                {cleared.map((name) => (
                  <List.Item key={name}>{labelOf(name)}</List.Item>
                ))}
              </List>
            </Alert>
          )}
          <SendBar
            order={order}
            draft={draft}
            errorCount={errorNames(errors).length}
            sent={sent}
            isSending={send.isPending}
            failure={send.error ? readFailure(send.error, form.getValues()).text : ''}
            onDiscard={() => {
              send.reset();
              actions.discardChanges();
            }}
          />
        </Stack>
      </form>
    </FormProvider>
  );
}

/** The issues of fields of the form that only the server found, and what else is wrong. */
function readFailure(error: unknown, values: OrderForm) {
  const { message, issues } = describeError(error);
  const named = (issues ?? []).map((issue) => ({
    name: toFieldName(issue.path),
    text: describeIssue(issue),
  }));
  const isInForm = ({ name }: { name: string }) => typeof get(values, name) === 'string';
  const others = named.filter((issue) => !isInForm(issue)).map(({ name, text }) => `${name}: ${text}`);
  return { issues: named.filter(isInForm), text: issues ? others.join(' ') : message };
}

/** The names of the fields with an error. */
function errorNames(errors: object, prefix = ''): string[] {
  return Object.entries(errors).flatMap(([key, error]) => {
    if (typeof error !== 'object' || error === null || key === 'ref') return [];
    const name = prefix + key;
    return typeof error.message === 'string' ? [name] : errorNames(error, `${name}.`);
  });
}

/** Lines come first, then the fields as the sections list them. */
function sortNames(names: readonly string[]): string[] {
  const listed = sections.flatMap(({ fields }) => fields.map(({ name }) => name));
  return names.toSorted((one, other) => listed.indexOf(one) - listed.indexOf(other));
}

/** The fields that are blank and were not when they were applied last. */
function leftOutSince({ body }: OrderDetail, values: OrderForm): readonly string[] {
  const before = leftOut(toForm(body));
  return leftOut(values).filter((name) => !before.includes(name));
}
