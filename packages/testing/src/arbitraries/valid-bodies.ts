import fc from 'fast-check';
import { int32s, integers } from './integers.ts';
import { jsonObjects, jsonValues } from './json-values.ts';
import type { FieldKind, Level, OrderModel } from './order-model.ts';
import { limitedTexts, texts } from './texts.ts';
import { unknownNames } from './unknown-names.ts';
import { returnUrls, webUrls } from './urls.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** How far valid bodies go. */
export interface BodyLimits {
  readonly unknownFields: boolean;
  readonly maxItems: number;
  /** Fields that every body has, though the document does not require them. */
  readonly always?: readonly ('hooks' | 'items')[];
}

/** Valid values of one of an update's objects, made of the model's fields and of unknown ones. */
export function validBodies(level: Level, model: OrderModel, limits: BodyLimits): fc.Arbitrary<Fields> {
  const known: Record<string, fc.Arbitrary<unknown>> = {};
  const requiredKeys: string[] = [];
  for (const { name, kind } of model.fields[level]) {
    known[name] = validValues(kind, model, limits);
    if (kind === 'cart' || limits.always?.some((always) => always === kind)) requiredKeys.push(name);
  }
  for (const { name, isRequired, values } of model.own[level]) {
    if (values !== undefined) known[name] = values;
    else if (isRequired) throw missingValues(level, name);
    if (isRequired) requiredKeys.push(name);
  }
  const fields = fc.record(known, { requiredKeys, noNullPrototype: true });
  return limits.unknownFields ? withUnknownFields(fields, unknownNames(model, level)) : fields;
}

function validValues(kind: FieldKind, model: OrderModel, limits: BodyLimits): fc.Arbitrary<unknown> {
  switch (kind) {
    case 'text':
      return texts();
    case 'limited_text':
      return limitedTexts();
    case 'currency':
      return fc.constantFrom(...model.currencies);
    case 'item_type':
      return fc.oneof(fc.constantFrom('physical', 'shipping_fee', 'digital', ''), texts());
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers();
    case 'int32':
      return int32s();
    case 'object':
      return jsonObjects();
    case 'cart':
    case 'hooks':
      return validBodies(kind, model, limits);
    case 'items': {
      if (!Number.isInteger(limits.maxItems) || limits.maxItems < 0) {
        throw new TypeError(`maxItems: ${limits.maxItems} cannot be used; give a whole number from 0.`);
      }
      const minLength = limits.always?.includes('items') ? 1 : 0;
      return fc.array(validBodies('item', model, limits), { minLength, maxLength: limits.maxItems });
    }
    case 'return_url':
      return returnUrls();
    case 'web_url':
      return webUrls();
  }
}

function withUnknownFields(known: fc.Arbitrary<Fields>, names: fc.Arbitrary<string>): fc.Arbitrary<Fields> {
  const unknown = fc.option(
    fc.dictionary(names, jsonValues(), { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
    { freq: 2, nil: undefined },
  );
  return fc
    .tuple(known, unknown, fc.boolean())
    .map(([fields, more, isAfter]) => (isAfter ? { ...fields, ...more } : { ...more, ...fields }));
}

function missingValues(level: Level, name: string): TypeError {
  const key = JSON.stringify(name);
  return new TypeError(
    `The definition requires the field ${key}, and only its schema knows what it may hold: ` +
      `give values: { ${level}: { ${key}: an arbitrary of fast-check } }.`,
  );
}
