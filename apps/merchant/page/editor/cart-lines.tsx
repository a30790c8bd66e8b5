import { ActionIcon, Button, Fieldset, Grid, Group, Pagination, Stack, Text, Title } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { memo, useEffect, useState } from 'react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { plural } from '../format.ts';
import { useLazyOverlay } from '../use-lazy-overlay.ts';
import { amounts } from './amounts.ts';
import { lineFields } from './fields.ts';
import { focusField } from './focus-field.ts';
import type { LineMenuProps } from './line-menu.tsx';
import { OrderField } from './order-field.tsx';
import { newLine, type OrderForm } from './order-form.ts';

const pageSize = 25;

interface CartLinesProps {
  /** The field to show; a new object with the same name shows it again. */
  readonly focusOn: { readonly name: string } | undefined;
}

/** The lines of the cart. */
export const CartLines = memo(function CartLines({ focusOn }: CartLinesProps) {
  const { control, getValues } = useFormContext<OrderForm>();
  const lines = useFieldArray({ control, name: 'cart.items' });
  const [page, setPage] = useState(1);
  const [done, setDone] = useState('');
  const [inserted, setInserted] = useState<{ index: number }>();
  const count = lines.fields.length;
  const pages = Math.max(1, Math.ceil(count / pageSize));
  const show = (index: number): void => setPage(Math.floor(index / pageSize) + 1);

  // The line of the first wrong field may be on another page.
  useEffect(() => {
    const index = /^cart\.items\.(\d+)/.exec(focusOn?.name ?? '')?.[1];
    if (index !== undefined) setPage(Math.floor(Number(index) / pageSize) + 1);
  }, [focusOn]);
  useEffect(() => inserted && focusField(`cart.items.${inserted.index}.sku`), [inserted]);

  const insert = (index: number, line: OrderForm['cart']['items'][number]): void => {
    lines.insert(index, line, { shouldFocus: false });
    show(index);
    setInserted({ index });
  };
  const move = (from: number, to: number): void => {
    lines.move(from, to);
    show(to);
    setDone(`Line ${from + 1} is line ${to + 1} now`);
  };
  const first = (Math.min(page, pages) - 1) * pageSize;
  return (
    <section aria-labelledby="lines">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3" id="lines">
          {plural(count, 'line')}
        </Title>
        <Text size="sm" c="dimmed">
          Amounts have {amounts.decimals} decimals: 258.00 is sent as 25800.
        </Text>
      </Group>
      <Stack gap="sm">
        {lines.fields.slice(first, first + pageSize).map(({ id }, place) => {
          const index = first + place;
          return (
            <Fieldset key={id} legend={`Line ${index + 1}`} p="sm">
              <Group wrap="nowrap" align="flex-start" gap="xs">
                <Line index={index} />
                <LineActions
                  index={index}
                  isLast={index === count - 1}
                  onMove={(to) => move(index, to)}
                  onDuplicate={() => insert(index + 1, { ...newLine, ...getValues(`cart.items.${index}`) })}
                  onRemove={() => {
                    lines.remove(index);
                    setDone(`Line ${index + 1} removed`);
                  }}
                />
              </Group>
            </Fieldset>
          );
        })}
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => insert(count, newLine)}
          >
            Add line
          </Button>
          {pages > 1 && (
            <Pagination
              total={pages}
              value={Math.min(page, pages)}
              onChange={setPage}
              getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            />
          )}
          <Text size="sm" c="dimmed" role="status">
            {done}
          </Text>
        </Group>
      </Stack>
    </section>
  );
});

function LineActions(props: Omit<LineMenuProps, 'isOpen' | 'setOpen'>) {
  const menu = useLazyOverlay(async () => (await import('./line-menu.tsx')).LineMenu);
  if (menu.Overlay) return <menu.Overlay {...props} isOpen={menu.isOpen} setOpen={menu.setOpen} />;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Actions for line ${props.index + 1}`}
      aria-haspopup="menu"
      onClick={menu.open}
    >
      <IconDots size={18} />
    </ActionIcon>
  );
}

const Line = memo(function Line({ index }: { readonly index: number }) {
  return (
    <Grid gap="xs" flex={1}>
      {lineFields.map(({ name, label, kind, span }) => (
        <Grid.Col key={name} span={{ base: name === 'name' ? 12 : 6, sm: span }}>
          <OrderField name={`cart.items.${index}.${name}`} label={label} {...(kind && { kind })} />
        </Grid.Col>
      ))}
    </Grid>
  );
});
