import { ActionIcon, Button, Fieldset, Grid, Group, Pagination, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { memo, useEffect, useRef, useState } from 'react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { plural } from '../format.ts';
import { amounts, lineFields } from './fields.ts';
import { OrderField } from './order-field.tsx';
import { newLine, type OrderForm } from './order-form.ts';

const pageSize = 25;
const removeLabel = (line: number): string => `Remove line ${line}`;
const pageOf = (index: number): number => Math.floor(index / pageSize) + 1;

/** The page of lines that has a field, from its name; none for other fields. */
export function pageOfLine(name: string): number | undefined {
  const index = /^cart\.items\.(\d+)/.exec(name)?.[1];
  return index === undefined ? undefined : pageOf(Number(index));
}

interface CartLinesProps {
  /** From 1. */
  readonly page: number;
  readonly setPage: (page: number) => void;
}

/** The lines of the cart. */
export const CartLines = memo(function CartLines({ page, setPage }: CartLinesProps) {
  const { control } = useFormContext<OrderForm>();
  const lines = useFieldArray({ control, name: 'cart.items' });
  const [removed, setRemoved] = useState<{ readonly line: number }>();
  const section = useRef<HTMLElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  // The button that had the focus is gone with its line.
  useEffect(() => {
    if (!removed) return;
    const next = section.current?.querySelector<HTMLElement>(`[aria-label="${removeLabel(removed.line)}"]`);
    (next ?? addButton.current)?.focus();
  }, [removed]);
  const count = lines.fields.length;
  const pages = Math.max(1, pageOf(count - 1));
  const first = (Math.min(page, pages) - 1) * pageSize;
  return (
    <section ref={section} aria-labelledby="lines">
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
            <Fieldset key={id} legend={`Line ${index + 1}`} p="sm" mx={0}>
              <Group wrap="nowrap" align="flex-start" gap="xs">
                <Line index={index} />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={removeLabel(index + 1)}
                  onClick={() => {
                    lines.remove(index);
                    setRemoved({ line: index + 1 });
                  }}
                >
                  <IconTrash size={18} />
                </ActionIcon>
              </Group>
            </Fieldset>
          );
        })}
        <Group justify="space-between">
          <Button
            ref={addButton}
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => {
              lines.append(newLine, { focusName: `cart.items.${count}.sku` });
              setPage(pageOf(count));
            }}
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
            {removed && `Line ${removed.line} removed`}
          </Text>
        </Group>
      </Stack>
    </section>
  );
});

const Line = memo(function Line({ index }: { readonly index: number }) {
  return (
    <Grid gap="xs" flex={1}>
      {lineFields.map(({ span, ...field }) => (
        <Grid.Col key={field.name} span={{ base: field.name === 'name' ? 12 : 6, sm: span }}>
          <OrderField {...field} name={`cart.items.${index}.${field.name}`} />
        </Grid.Col>
      ))}
    </Grid>
  );
});
