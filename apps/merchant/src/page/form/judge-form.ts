import { type Explanation, explain } from '@orders/schema';
import { DeskUpdate } from '../../contract/desk-update.ts';
import { editorWords } from '../words/editor.ts';
import type { OrderForm } from './order-form.ts';
import { toForm } from './to-form.ts';
import { toOrderUpdate } from './to-order-update.ts';

/** What the schema says of a form. */
export type Judged = { readonly update: DeskUpdate } | { readonly issues: readonly Explanation[] };

/**
 * Judges what was typed by the schema of the desk. With `field`, only that part of the form which can change the
 * verdict on this field: its line of the cart, the cart, or all but the cart's lines. Never rejects.
 */
export async function judgeForm(form: OrderForm, field?: string): Promise<Judged> {
  const { part, line } = partOf(form, field);
  const checked = DeskUpdate.safeParse(toOrderUpdate(part));
  if (checked.success) return { update: checked.data };
  const issues = explain(checked.error).map((issue) =>
    line === undefined
      ? issue
      : { ...issue, path: issue.path.replace('cart.items[0]', `cart.items[${line}]`) },
  );
  return { issues: await Promise.all(issues.map((issue) => explainAddress(issue, part.shipping_address))) };
}

function partOf(form: OrderForm, field = ''): { readonly part: OrderForm; readonly line?: number } {
  const [, index] = /^cart\.items\.(\d+)\./.exec(field) ?? [];
  const empty = toForm({});
  if (index !== undefined) {
    const item = form.cart.items[Number(index)];
    return { part: { ...empty, cart: { ...empty.cart, items: item ? [item] : [] } }, line: Number(index) };
  }
  if (/^cart(\.|$)/.test(field)) return { part: { ...empty, cart: form.cart } };
  return { part: field === '' ? form : { ...form, cart: { ...form.cart, items: [] } } };
}

/** Text that is not JSON cannot be an object: where it ceases to be JSON says more. */
async function explainAddress(issue: Explanation, text: string): Promise<Explanation> {
  if (issue.path !== 'shipping_address') return issue;
  try {
    // The parser that knows places is fetched when it is needed at last.
    const { findSyntaxProblems } = await import('../paste/json-syntax.ts');
    const [problem] = findSyntaxProblems(text);
    if (!problem) return issue;
    const { line, column, message, hint } = problem;
    return { ...issue, code: 'not_json', message: editorWords.address.at(line, column, message), hint };
  } catch {
    return issue;
  }
}
