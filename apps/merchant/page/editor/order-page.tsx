import { Accordion, Alert, Badge, Button, Grid, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { FormProvider, get } from 'react-hook-form';
import { historyLimits } from '../../shared/limits.ts';
import type { ShopUpdate } from '../../shared/order-update.ts';
import { api, describeError, type OrderDetail, orderQuery, parseResponse, queryClient } from '../api.ts';
import { ErrorAlert, MissingView } from '../errors.tsx';
import { describeIssue, plural } from '../format.ts';
import { ViewTitle } from '../view-title.tsx';
import { CartLines, pageOfLine } from './cart-lines.tsx';
import { labelOf, orderFields, sections } from './fields.ts';
import { OrderField } from './order-field.tsx';
import { clearedFields, staleAmounts, toForm } from './order-form.ts';
import { QrPayment } from './qr-payment.tsx';
import { SendBar } from './send-bar.tsx';
import { UpdateTimeline } from './update-timeline.tsx';
import { useOrderForm } from './use-order-form.ts';

/** One order: its editor, its QR payment, and what became of its updates. */
export function OrderPage({ token }: { readonly token: string }) {
  const [count, setCount] = useState<number>(historyLimits.first);
  const { data: order, error } = useQuery(orderQuery(token, count));
  if (error && !order) return <MissingView what="Order" error={error} href="/" link="All orders" />;
  if (!order) return <Skeleton height={400} aria-label="Loading" />;
  return (
    <>
      <ViewTitle>{order.orderId ?? 'Order without number'}</ViewTitle>
      <Text size="sm" c="dimmed" mb="md" style={{ overflowWrap: 'anywhere' }}>
        {token}
      </Text>
      <ErrorAlert error={error} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <OrderEditor order={order} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <UpdateTimeline
            order={order}
            isWhole={order.updates.length < count || count >= historyLimits.most}
            onMore={() => setCount(Math.min(count + 20, historyLimits.most))}
          />
        </Grid.Col>
      </Grid>
    </>
  );
}

/** The form of an order: what is typed is sent as an update. */
function OrderEditor({ order }: { readonly order: OrderDetail }) {
  const { token, body } = order;
  const send = useMutation({
    mutationFn(update: ShopUpdate) {
      const json = { id: markSent(), update };
      return parseResponse(api.orders[':token'].updates.$post({ param: { token }, json }));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['order', token] }),
  });
  const { form, values, isChanged, isSent, sent, sentIds, isStale, markSent, discardChanges, keepChanges } =
    useOrderForm(order, send.data);
  const { errors } = form.formState;

  const [openSections, setOpenSections] = useState<string[]>(['order']);
  const [linePage, setLinePage] = useState(1);
  const [firstError, setFirstError] = useState<{ readonly name: string }>();
  const focusFirst = (names: readonly string[]): void => {
    const listed = orderFields.map((field) => field.name);
    // Lines come first, then the fields as the sections list them.
    const [name] = names.toSorted((one, other) => listed.indexOf(one) - listed.indexOf(other));
    if (name === undefined) return;
    const section = sections.find(({ fields }) => fields.some((field) => field.name === name));
    if (section) setOpenSections((open) => [...new Set([...open, section.id])]);
    setLinePage((page) => pageOfLine(name) ?? page);
    setFirstError({ name });
  };
  // Once the section or the page of the field is drawn.
  useEffect(() => firstError && document.getElementsByName(firstError.name)[0]?.focus(), [firstError]);

  const others = order.updates.filter(
    ({ id, state }) => !sentIds.includes(id) && ['queued', 'sending', 'needs_review'].includes(state),
  );
  // Earlier ones that are not listed may be open, too.
  const othersCount = others.length + Math.max(0, order.open - order.updates.length);
  const before = toForm(body);
  const cleared = clearedFields(before, values);
  const stale = isSent ? [] : staleAmounts(before, values);
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
                <Button size="xs" variant="default" onClick={discardChanges}>
                  Load the new values
                </Button>
                <Button size="xs" variant="default" onClick={keepChanges}>
                  Keep mine
                </Button>
              </Group>
            </Alert>
          )}
          {othersCount > 0 && (
            <Text size="sm" c="dimmed">
              {!sent && 'The form shows what was applied last. '}
              {plural(othersCount, sent ? 'other update' : 'update')} of this order{' '}
              {othersCount === 1 ? 'is' : 'are'} not applied yet
              {others.some(({ state }) => state === 'needs_review') && ': one waits for your decision'}.
            </Text>
          )}
          <CartLines page={linePage} setPage={setLinePage} />
          <FieldAlert color="orange" title="VAT and totals are sent as they are typed" names={stale}>
            The lines changed, and these amounts did not:
          </FieldAlert>
          <Accordion
            multiple
            variant="separated"
            value={openSections}
            onChange={setOpenSections}
            order={2}
            // A field that opens takes the focus at once.
            transitionDuration={0}
          >
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
                    {id === 'buyer' && <QrPayment order={order} />}
                  </Accordion.Panel>
                </Accordion.Item>
              );
            })}
          </Accordion>
          <FieldAlert color="blue" title="Blank fields are left out of the update" names={cleared}>
            Whether the service then keeps their values is undocumented:
          </FieldAlert>
          <SendBar
            order={order}
            isChanged={isChanged}
            isSent={isSent}
            errorCount={errorNames(errors).length}
            sent={sent}
            isSending={send.isPending}
            // An update that is listed was accepted, though its response was lost.
            failure={send.error && !sent ? describeFailure(send.error) : ''}
            onDiscard={discardChanges}
          />
        </Stack>
      </form>
    </FormProvider>
  );
}

interface FieldAlertProps {
  readonly color: string;
  readonly title: string;
  /** The names of the fields; without any, there is no alert. */
  readonly names: readonly string[];
  readonly children: string;
}

function FieldAlert({ color, title, names, children }: FieldAlertProps) {
  if (names.length === 0) return null;
  return (
    <Alert color={color} title={title}>
      {children}
      <List size="sm">
        {names.map((name) => (
          <List.Item key={name}>{labelOf(name)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** The issues that only the server found, or what else is wrong. */
function describeFailure(error: unknown): string {
  const { message, issues } = describeError(error);
  return issues?.map((issue) => `${issue.path}: ${describeIssue(issue)}`).join(' ') ?? message;
}

/** The names of the fields with an error. */
function errorNames(errors: object, prefix = ''): string[] {
  return Object.entries(errors).flatMap(([key, error]) => {
    if (typeof error !== 'object' || error === null || key === 'ref') return [];
    const name = prefix + key;
    return typeof error.message === 'string' ? [name] : errorNames(error, `${name}.`);
  });
}
