import { type Answer, answerJson } from '../service/answer.ts';

/** What can go wrong at the control API, as its error bodies name it; a code never changes meaning. */
export type ControlErrorCode =
  | 'origin_refused'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'media_type_unsupported'
  | 'body_not_json'
  | 'query_refused'
  | 'fault_refused'
  | 'webhook_refused'
  | 'webhook_not_found'
  | 'control_failed';

/** The JSON of every answer of the control API that is not a success. */
export interface ControlErrorBody {
  readonly error: {
    readonly code: ControlErrorCode;
    /** What to send instead. */
    readonly message: string;
  };
}

/** Ends a control request with an answer that says why. */
export class ControlRefusal extends Error {
  readonly answer: Answer;

  constructor(
    status: number,
    error: ControlErrorBody['error'],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(error.message);
    const body: ControlErrorBody = { error };
    this.answer = answerJson(status, body, headers);
  }
}

/** Does what a caller asked for; a `TypeError`, which says what to write instead, becomes a 422 that says so too. */
export async function refuseMisuse<Result>(
  code: ControlErrorCode,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ControlRefusal(422, { code, message: error.message });
  }
}
