import type { OrderUpdate } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import {
  type Answer,
  answerJson,
  type OrderServiceErrorBody,
  type OrderServiceErrorCode,
  type Refusal,
} from './answer.ts';
import { freezeDeep } from './freeze-deep.ts';
import type { KeyType } from './key-ring.ts';
import { mergeTopLevel, type StoredOrder } from './order-book.ts';

/** Each answer by name: the two that succeed, and the codes of those that do not. */
export type AnswerName = 'order_updated' | 'key_echoed' | Exclude<OrderServiceErrorCode, 'fault_scripted'>;

/**
 * What the document does not show (interface document, Endpoints and Errors) and the service therefore chose: replace
 * each choice by what the service that you integrate with does. A function that throws is answered with a 500.
 */
export interface ServiceChoices<Update extends OrderUpdate = OrderUpdate> {
  /** Statuses, from 200 to 599, by the name of the answer. @default 200 for success, and the table in the README */
  readonly statuses?: Readonly<Partial<Record<AnswerName, number>>>;
  /** The JSON that answers an update; `undefined` answers without a body. @default `{ token, revision, order: data }` */
  readonly updateBody?: (order: StoredOrder<Update>) => unknown;
  /** The JSON that answers an echo. @default `{ authenticated: true, key_type }` */
  readonly echoBody?: (keyType: KeyType) => unknown;
  /** The JSON that answers a refusal. @default the error itself */
  readonly errorBody?: (body: OrderServiceErrorBody, status: number) => unknown;
  /**
   * What an order holds once an update is applied; gets frozen objects, returns plain JSON.
   * @default each top-level field given replaces the one held
   */
  readonly merge?: (held: Readonly<Partial<Update>>, update: Update) => Readonly<Partial<Update>>;
}

/** Every choice made: how the service answers, and what an update does. */
export interface Answers<Update extends OrderUpdate> {
  merge(held: Readonly<Partial<Update>>, update: Update): Readonly<Partial<Update>>;
  updated(order: StoredOrder<Update>): Answer;
  echoed(keyType: KeyType): Answer;
  refused(refusal: Refusal): Answer;
}

const choiceNames: Readonly<Record<keyof ServiceChoices, true>> = {
  statuses: true,
  updateBody: true,
  echoBody: true,
  errorBody: true,
  merge: true,
};

const answerNames: Readonly<Record<AnswerName, true>> = {
  order_updated: true,
  key_echoed: true,
  request_malformed: true,
  path_malformed: true,
  path_not_found: true,
  method_not_allowed: true,
  key_missing: true,
  key_malformed: true,
  key_unknown: true,
  scheme_unsupported: true,
  key_type_not_allowed: true,
  not_acceptable: true,
  media_type_unsupported: true,
  body_too_large: true,
  body_not_json: true,
  body_refused: true,
  order_not_found: true,
  service_failed: true,
};

/** Throws a `TypeError` when a choice is unknown or a status cannot be sent. */
export function createAnswers<Update extends OrderUpdate>(choices: ServiceChoices<Update>): Answers<Update> {
  const { statuses = {}, updateBody, echoBody = showKeyType, errorBody = (body) => body, merge } = choices;
  checkOptions('choices', choices, Object.keys(choiceNames));
  checkOptions('choices.statuses', statuses, Object.keys(answerNames));
  for (const [name, status] of Object.entries(statuses)) {
    if (Number.isInteger(status) && status >= 200 && status <= 599) continue;
    throw new TypeError(`choices.statuses.${name}: ${status} cannot be used; give a status from 200 to 599.`);
  }
  const { order_updated = 200, key_echoed = 200 } = statuses;

  return {
    merge:
      merge === undefined ? mergeTopLevel : (held, update) => merge(freezeDeep(held), freezeDeep(update)),
    updated(order) {
      // Frozen objects take far longer to be written as JSON, so only a function of the caller's gets them so.
      const body = updateBody === undefined ? showOrder(order) : updateBody(freezeDeep(order));
      return answerJson(order_updated, body);
    },
    echoed: (keyType) => answerJson(key_echoed, echoBody(keyType)),
    refused({ status: usual, headers, ...error }) {
      // A scripted status is the script's to choose.
      const status = (error.code === 'fault_scripted' ? undefined : statuses[error.code]) ?? usual;
      return answerJson(status, errorBody({ error }, status), headers);
    },
  };
}

function showOrder({ token, revision, data }: StoredOrder): unknown {
  return { token, revision, order: data };
}

function showKeyType(keyType: KeyType): unknown {
  return { authenticated: true, key_type: keyType };
}
